// Jest ignores `testTimeout` in a project's configuration.
jest.setTimeout(projectTimeout);
