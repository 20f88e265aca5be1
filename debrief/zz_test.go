package debrief
import ("testing";"strings";"time";"fmt")
func TestZZ(t *testing.T){
 for _, o := range []string{strings.Repeat("a ",8000), strings.Repeat("exit ",3200), strings.Repeat("Traceback (most recent call last)\n",480), strings.Repeat("\x1b[31m",3000), strings.Repeat("1 failed ",1)+strings.Repeat("9",15000), strings.Repeat("x",16000), strings.Repeat("_",16000), strings.Repeat("a\n",8000)} {
  s:=time.Now(); failureMark(o); d1:=time.Since(s); s=time.Now(); nameError(o,true); d2:=time.Since(s)
  fmt.Printf("%.10q %v %v\n", o, d1,d2)
 }
}
