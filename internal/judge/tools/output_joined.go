package tools

// Formats of tools whose output may have any of several. Each is a function of its
// own, not a value that a call makes: the table of tools is then data of the program,
// and no start pays for it.

func batsOrTAPFormat() format        { return joined(batsFormat(), tapFormat()) }
func ginkgoOrGoFormat() format       { return joined(ginkgoFormat(), goFormat()) }
func goOrCheckFormat() format        { return joined(goFormat(), checkFormat()) }
func gradleOrCompilerFormat() format { return joined(gradleFormat(), compilerFormat()) }
func mavenOrCompilerFormat() format  { return joined(mavenFormat(), compilerFormat()) }
func nativeFormat() format           { return joined(ctestFormat(), gtestFormat(), compilerFormat()) }
func rspecOrHaskellFormat() format   { return joined(rspecFormat(), haskellFormat()) }
func rubyFormat() format             { return joined(minitestFormat(), rspecFormat(), cucumberFormat()) }
func swiftOrCompilerFormat() format  { return joined(swiftFormat(), compilerFormat()) }
func unittestOrPytestFormat() format { return joined(unittestFormat(), pytestFormat()) }
func zigOrCompilerFormat() format    { return joined(zigFormat(), compilerFormat()) }

// joined reads a line by the first of some formats that knows it.
func joined(formats ...format) format {
	return func(line string, s *sum) bool {
		for _, f := range formats {
			if f(line, s) {
				return true
			}
		}
		return false
	}
}
