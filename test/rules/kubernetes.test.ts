/** The base for Kubernetes in deploy/kustomize: each object has the schema of Kubernetes, and they belong together. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfig } from '../../src/server/platform/config.ts'

const FOLDER = join(import.meta.dirname, '../../deploy/kustomize')
const read = (file: string) => parse(readFileSync(join(FOLDER, file), 'utf8'))
const base = read('base/kustomization.yaml')
const example = read('example/kustomization.yaml')
const deployment = read('base/deployment.yaml')
const service = read('base/service.yaml')
const budget = read('base/disruption-budget.yaml')
const { spec } = deployment.spec.template
const [container] = spec.containers

describe('an object of the base has the schema of Kubernetes:', () => {
  test.each([
    ['the deployment', new Deployment(deployment)],
    ['the service', new Service(service)],
    ['the disruption budget', new PodDisruptionBudget(budget)],
  ])('%s', (_, object) => {
    expect(() => object.validate()).not.toThrow()
  })
})

test('the base has all its objects, and the example is made of the base', () => {
  const objects = base.resources.map((file: string) => read(`base/${file}`).kind)
  expect(objects).toEqual(['Deployment', 'Service', 'PodDisruptionBudget'])
  expect(example.resources.map((folder: string) => dirname(join('example', folder, 'x')))).toEqual(['base'])
  expect(base.images.map(({ name }: { name: string }) => name)).toEqual([container.image])
})

test('service and budget select the pods of the deployment', () => {
  const labels = deployment.spec.selector.matchLabels
  expect(deployment.spec.template.metadata.labels).toEqual(labels)
  expect(service.spec.selector).toEqual(labels)
  expect(budget.spec.selector.matchLabels).toEqual(labels)
  expect(service.spec.ports.map(({ targetPort }: { targetPort: string }) => targetPort)).toEqual(
    container.ports.map(({ name }: { name: string }) => name),
  )
})

test('the settings of the example are valid', () => {
  const literals = [base, example].flatMap(
    ({ configMapGenerator }) => configMapGenerator[0].literals as string[],
  )
  const settings = Object.fromEntries(literals.map((each) => each.split('=') as [string, string]))
  const names = [base, example].map(({ configMapGenerator }) => configMapGenerator[0].name)
  expect(
    new Set([
      ...names,
      ...container.envFrom.flatMap(
        (each: { configMapRef?: { name: string } }) => each.configMapRef?.name ?? [],
      ),
    ]),
  ).toEqual(new Set(['deconflict']))
  const { public_url, trust_proxy } = readConfig(settings)
  expect({ public_url, trust_proxy }).toEqual({
    public_url: 'https://deconflict.example.com',
    trust_proxy: 1,
  })
})
