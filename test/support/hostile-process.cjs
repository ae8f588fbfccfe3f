/**
 * Makes the surroundings of a process hostile. It never reaches the network. `KILL_AT`: it is killed instead of its n-th change of
 * a file in the git directory's `deconflict`. `DISK_ERROR`: all of them fail so. Its clock: see `shifted-clock.cjs`.
 */
const fs = require('node:fs')
require('./shifted-clock.cjs')
const { KILL_AT, DISK_ERROR } = process.env
let changes = 0

for (const name of [
  'writeFileSync',
  'linkSync',
  'renameSync',
  'mkdirSync',
  'rmSync',
  'chmodSync',
  'utimesSync',
]) {
  const real = fs[name]
  fs[name] = (...args) => {
    // What exists need not be made.
    const isChange = /\.git.deconflict/.test(args[0]) && !(name === 'mkdirSync' && fs.existsSync(args[0]))
    if (isChange && DISK_ERROR)
      throw Object.assign(new Error(`${DISK_ERROR}: ${name}`), { code: DISK_ERROR, syscall: name })
    if (isChange) changes += 1
    if (isChange && changes === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
    return real(...args)
  }
}

require('node:net').Socket.prototype.connect = () => {
  throw new Error('this process has no network')
}
