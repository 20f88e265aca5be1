package pages

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// Log says what was found in the -wal.
type Log struct {
	Frames  int  // pages taken from it
	Damaged int  // frames whose content does not fit its sum
	Torn    bool // it ends within a transaction, or in bytes that are no frame
}

// Sizes in the log, in bytes.
const (
	logHeader   = 32
	frameHeader = 24
)

// readLog finds the newest committed content of each page in the log. A frame
// whose sum does not fit is left out: the sum that it holds is where the sum
// of the next frame begins, so the frames behind it can still be checked.
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
	magic := binary.BigEndian.Uint32(head[:])
	order, ok := sumOrder(magic)
	if s0, s1 := sum(order, 0, 0, head[:24]); !ok || binary.BigEndian.Uint32(head[8:]) != Size ||
		s0 != binary.BigEndian.Uint32(head[24:]) || s1 != binary.BigEndian.Uint32(head[28:]) {
		f.Log.Torn = true
		return nil
	}
	salt := string(head[16:24])
	s0, s1 := binary.BigEndian.Uint32(head[24:]), binary.BigEndian.Uint32(head[28:])
	frames, pending := map[uint32]int64{}, map[uint32]int64{}
	count, damaged := f.count, 0
	b := make([]byte, frameHeader+Size)
	at := int64(logHeader)
	for ; at+int64(len(b)) <= info.Size(); at += int64(len(b)) {
		if _, err := wal.ReadAt(b, at); err != nil {
			return err
		}
		if string(b[8:16]) != salt {
			break // of an earlier generation
		}
		n, size := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
		is0, is1 := sum(order, s0, s1, b[:8])
		is0, is1 = sum(order, is0, is1, b[frameHeader:])
		s0, s1 = binary.BigEndian.Uint32(b[16:]), binary.BigEndian.Uint32(b[20:])
		if is0 != s0 || is1 != s1 || n == 0 {
			damaged++
			continue
		}
		pending[n] = at + frameHeader
		if size == 0 {
			continue
		}
		for n, at := range pending {
			frames[n] = at
		}
		clear(pending)
		count = size
		f.Log.Damaged += damaged
		damaged = 0
	}
	f.Log.Torn = at < info.Size() && len(pending)+damaged > 0 || len(pending) > 0
	if len(frames) > 0 {
		f.frames, f.count, f.Log.Frames = frames, min(count, maxPages), len(frames)
	}
	return nil
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
