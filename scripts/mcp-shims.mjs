/**
 * What the SDK of the Model Context Protocol takes from its runtime. Its own choice for Node.js validates with
 * ajv, which is larger than all the rest and writes code at run time; our tool's schema needs none of that.
 */
export { default as process } from 'node:process';
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from '@modelcontextprotocol/server/validators/cf-worker';
