export default { test: { globals: true, include: ["test/*.spec.js"], cache: false } };
