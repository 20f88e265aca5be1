package debrief

import "testing"

// What a person says of tests, in the languages of phrases.txt, and what only sounds so.
func TestPersonsWords(t *testing.T) {
	for _, c := range []struct {
		text string
		want wants
	}{
		{"Swap the operands, and don't run the tests", wants{noTests: true}},
		{"Rename it. No tests please.", wants{noTests: true}},
		{"rename it without testing", wants{noTests: true}},
		{"just do it, I'll run the tests myself", wants{noTests: true}},
		{"never mind the docs, skip the unit tests", wants{noTests: true}},
		{"Bitte keine Tests", wants{noTests: true}},
		{"ändere es, ohne Tests", wants{noTests: true}},
		{"bitte jetzt nicht testen", wants{noTests: true}},
		{"corrige-le, sans tests", wants{noTests: true}},
		{"ne lance pas les tests", wants{noTests: true}},
		{"hazlo sin pruebas", wants{noTests: true}},
		{"faça isso sem testes", wants{noTests: true}},
		{"改一下，不要运行测试", wants{noTests: true}},
		{"The tests should fail now", wants{mayFail: true}},
		{"first write a failing test", wants{mayFail: true}},
		{"please fix all eslint errors in the project", wants{onlyLint: true}},
		{"it's okay if the build breaks", wants{mayFail: true}},
		{"die Tests dürfen fehlschlagen", wants{mayFail: true}},
		{"les tests peuvent échouer", wants{mayFail: true}},
		{"las pruebas pueden fallar", wants{mayFail: true}},
		{"os testes podem falhar", wants{mayFail: true}},
		{"测试可以失败", wants{mayFail: true}},
		{"fix the lint errors", wants{onlyLint: true}},

		{"don't test it yet", wants{noTests: true}},
		{"please skip the tests for now", wants{noTests: true}},
		{"no need to run the full test suite, just commit", wants{noTests: true}},
		{"don't run pytest", wants{noTests: true}},
		{"Don't run anything", wants{noTests: true}},
		{"don't run the tests - they take an hour", wants{noTests: true}},
		{"let's skip the tests", wants{noTests: true}},
		{"feel free to skip the tests", wants{noTests: true}},
		{"I'll run the tests", wants{noTests: true}},
		{"no tests, thanks", wants{noTests: true}},
		{"tests are not needed", wants{noTests: true}},
		{"do this without running tests first", wants{noTests: true}},
		{"n'exécute pas les tests", wants{noTests: true}},
		{"跳过测试", wants{noTests: true}},
		{"Do not stop without running the tests", wants{}},
		{"Don't commit without testing", wants{}},
		{"don't say it is done without running the tests", wants{}},
		{"never deploy without tests", wants{}},
		{"Don't stop running the tests until green", wants{}},
		{"This module was written without tests. Add them.", wants{}},
		{"We don't test this: add tests", wants{}},
		{"If there are no tests, please write them", wants{}},
		{"I never run the tests, so do it for me", wants{}},
		{"The hooks don't run the tests for python files. Fix that.", wants{}},
		{"The signup must not work without verification", wants{}},
		{"users may skip verification and continue", wants{}},
		{"Es gibt noch keine Tests, schreibe welche", wants{}},
		{"Commit nicht ohne Tests", wants{}},
		{"Il n'y a pas de tests ici, écris-les", wants{}},
		{"No commits sin tests", wants{}},
		{"não faça commit sem testes", wants{}},
		{"不要测试里写死路径", wants{}},
		{"fix the date format", wants{}},
		{"Fix the JSON formatter: it drops commas", wants{}},
		{"Fix black background in dark mode", wants{}},
		{"fix the login bug and run prettier", wants{}},
		{"it might fail on Windows, handle that", wants{}},
		{"This should fail with a 400 when the id is missing", wants{}},
		{"ignore failed rows in the import", wants{}},
		{"If you change the schema the tests will fail, so update them", wants{}},
		{"Der Upload darf nicht scheitern", wants{}},
		{"登录会失败，修复它", wants{}},
		{"fix the average", wants{}},
		{"make it pass, and don't break the other tests", wants{}},
		{"do not modify the tests", wants{}},
		{"don't write test files into the root", wants{}},
		{"never skip the tests", wants{}},
		{"don't forget to run the tests", wants{}},
		{"do not redirect to the verification page when signup fails", wants{}},
		{"go on until there are no failing tests", wants{}},
		{"don't add tests for this", wants{}},
		{"vergiss nicht zu testen", wants{}},
		{"ändere die Tests nicht", wants{}},
		{"ne casse pas les tests", wants{}},
		{"no rompas las pruebas", wants{}},
		{"não quebre os testes", wants{}},
		{"不要修改测试", wants{}},
		{"run the tests when you are done", wants{}},
		{"why do the tests fail?", wants{}},
		{"the README says \"don't run the tests\", correct that", wants{}},
		{"ersetze „keine Tests“ durch etwas Freundliches", wants{}},
		{"> no tests please\nwhat did she mean?", wants{}},
		{"make this pass:\n```\n# don't run the tests\n```", wants{}},
	} {
		if got := wantsOf([]string{c.text}); got != c.want {
			t.Errorf("%q: got %+v, want %+v", c.text, got, c.want)
		}
	}
}

// What an agent's last words admit.
func TestAdmits(t *testing.T) {
	for text, want := range map[string]bool{
		"Two tests still fail because the server is gone.":  true,
		"The suite is red; I did not get further.":          true,
		"The build does not compile yet.":                   true,
		"Ein Test schlägt noch fehl.":                       true,
		"Deux tests ne passent pas.":                        true,
		"Una prueba falla todavía.":                         true,
		"Um teste ainda falha.":                             true,
		"有两个测试失败":                                           true,
		"32개 미통과 (주로 pickle 제약)":                            true,
		"テストが2件失敗しています。":                                    true,
		"- `npm run lint` ❌ (require-imports in server.js)": true,

		"All tests pass.":                               false,
		"I fixed the two tests that failed.":            false,
		"0 failures, done.":                             false,
		"It now fails gracefully when the file is gone": false,
		"Der Fehler ist behoben.":                       false,
		"The failing test is fixed, the error is gone.": false,
		"실패 처리를 추가했고 모든 테스트가 통과합니다.":                    false,
		"失敗時の処理を追加しました。":                                false,
		"All 12 tests green, no ❌.":                     false,
		"실패하던 테스트를 수정했습니다.":                             false,
		"❌ before → ✅ after":                            false,
		"Done.":                                         false,
	} {
		if got := admits(text); got != want {
			t.Errorf("%q: got %t, want %t", text, got, want)
		}
	}
}
