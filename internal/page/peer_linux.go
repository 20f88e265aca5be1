package page

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// sameUser tells whether who has connected from one address to another of the loopback is
// this user's process, or root's. An address with a ticket stands in the arguments of the
// program that opens the browser, where other users of the machine can read it. A connection
// that the kernel does not list is nobody's.
func sameUser(from, to string) bool {
	local, remote := socket(from), socket(to)
	for _, name := range []string{"tcp", "tcp6"} {
		f, err := os.Open("/proc/net/" + name)
		if err != nil {
			continue
		}
		defer f.Close()
		const established = "01"
		for lines := bufio.NewScanner(f); lines.Scan(); {
			// sl local remote state queues timer retransmits uid
			x := strings.Fields(lines.Text())
			if len(x) > 7 && strings.HasSuffix(x[1], local) && strings.HasSuffix(x[2], remote) && x[3] == established {
				return x[7] == fmt.Sprint(os.Getuid()) || x[7] == "0"
			}
		}
	}
	return false
}

// socket is an address as the kernel lists it, of IPv6 the end.
func socket(address string) string {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return address // it fits none
	}
	ip := at.Addr().Unmap().As4()
	slices.Reverse(ip[:])
	return strings.ToUpper(hex.EncodeToString(ip[:])) + fmt.Sprintf(":%04X", at.Port())
}
