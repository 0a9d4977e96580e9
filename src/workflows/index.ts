// The workflow types, for the sandbox: users with workflows of their own export these from their workflow file.

export { agent } from './agent';
