export default { test: { globals: true, include: ["test/*.spec.js"], globalSetup: "test/daemon.js", fileParallelism: false, testTimeout: 60_000 } };
