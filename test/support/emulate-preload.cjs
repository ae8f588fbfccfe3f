/** Lets emulate start on Node before 22.15: it imports these for configurations in TypeScript, which no test has. */
const builtin = module.constructor
builtin.registerHooks ??= () => ({ deregister() {} })
builtin.stripTypeScriptTypes ??= (code) => code
