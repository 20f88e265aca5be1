const test = require('node:test'), assert = require('node:assert');
const { greet } = require('./greet.js');
test('greets', () => assert.equal(greet('Ann'), 'good morning Ann'));
