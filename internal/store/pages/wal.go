package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
)

// Sizes in the log, in bytes.
const (
	logHeader   = 32
	frameHeader = 24
)

// readLog finds the newest committed content of each page in the log. A frame
// whose sum does not match is left out: the sum that it holds is where the sum
// of the next frame begins, so the frames behind it can still be checked.
// Frames of an earlier generation, which have another salt, are left out too.
func (f *File) readLog(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file", path)
	}
	wal, err := os.Open(path)
	if err != nil {
		return err
	}
	f.wal = wal
	var head [logHeader]byte
	if _, err := wal.ReadAt(head[:], 0); err != nil {
		if errors.Is(err, io.EOF) {
			f.Log.Torn = info.Size() > 0
			return nil
		}
		return err
	}
	b := make([]byte, frameHeader+Size)
	order, ok := sumOrder(binary.BigEndian.Uint32(head[:]))
	salt := string(head[16:24])
	s0, s1 := binary.BigEndian.Uint32(head[24:]), binary.BigEndian.Uint32(head[28:])
	if h0, h1 := sum(order, 0, 0, head[:24]); !ok || h0 != s0 || h1 != s1 || binary.BigEndian.Uint32(head[8:]) != Size {
		// The first frame has the salt too; its sum shows whether that is it.
		f.Log.Header = true
		if _, err := wal.ReadAt(b, logHeader); err != nil {
			f.Log.Torn = true
			return nil
		}
		salt, order = string(b[8:16]), binary.LittleEndian
	}
	t := newTally(f.count)
	at := int64(logHeader)
	for ; at+int64(len(b)) <= info.Size(); at += int64(len(b)) {
		if _, err := wal.ReadAt(b, at); err != nil {
			return err
		}
		n, size := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		is0, is1 := sum(order, s0, s1, b[:8])
		is0, is1 = sum(order, is0, is1, b[frameHeader:])
		s0, s1 = binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])
		t.frame(n, size, at+frameHeader, is0 == s0 && is1 == s1 && string(b[8:16]) == salt)
	}
	f.Log.Torn = len(t.pending)+len(t.doubtful) > 0
	f.Log.Frames, f.Log.Damaged = len(t.frames), t.damage
	if len(t.frames) > 0 {
		// Each page is in the file or in the log; where the file is gone, the
		// highest that the log has says how many there were.
		highest := min(slices.Max(slices.Collect(maps.Keys(t.frames))), maxAlone)
		f.frames, f.count = t.frames, min(t.count, max(highest, f.count+uint32(len(t.frames))), maxPages)
	}
	return nil
}

// tally follows the transactions of a log. A power cut may tear the last one;
// each is synced before the next one begins. So a transaction with damaged
// frames counts, without those, if a whole one follows.
type tally struct {
	frames, doubtful, pending map[uint32]int64
	count                     uint32
	damage                    int // frames left out
	bad, unsure               int // the same, of the transactions that are pending and doubtful
}

func newTally(count uint32) *tally {
	return &tally{frames: map[uint32]int64{}, doubtful: map[uint32]int64{}, pending: map[uint32]int64{}, count: count}
}

// frame takes the next frame; size is not 0 at the end of a transaction.
func (t *tally) frame(n, size uint32, at int64, whole bool) {
	if whole && n > 0 {
		t.pending[n] = at
	} else {
		t.bad++
	}
	switch {
	case size == 0:
		return
	case t.bad > 0:
		maps.Copy(t.doubtful, t.pending)
		t.unsure += t.bad
	default:
		maps.Copy(t.frames, t.doubtful)
		maps.Copy(t.frames, t.pending)
		t.damage += t.unsure
		t.unsure, t.count = 0, size
		clear(t.doubtful)
	}
	t.bad = 0
	clear(t.pending)
}

// sumOrder is the order of bytes in which a log's sums are made.
func sumOrder(magic uint32) (binary.ByteOrder, bool) {
	switch magic {
	case 0x377f0682:
		return binary.LittleEndian, true
	case 0x377f0683:
		return binary.BigEndian, true
	}
	return binary.BigEndian, false
}

func sum(order binary.ByteOrder, s0, s1 uint32, b []byte) (uint32, uint32) {
	for i := 0; i+8 <= len(b); i += 8 {
		s0 += order.Uint32(b[i:]) + s1
		s1 += order.Uint32(b[i+4:]) + s0
	}
	return s0, s1
}
