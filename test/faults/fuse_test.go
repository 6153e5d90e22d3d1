//go:build !(386 || arm || mips || mipsle)

package faults

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/hwrngd/hwrngd/test/faults/script"
	"github.com/hwrngd/hwrngd/test/kit"
)

// fuseChannel is a file whose every read the tape answers: with data, an error, or not at all. To the
// daemon it is a regular file, which it takes with --allow-file-source.
//
// It has the answers of a driver: a read that waits ends with a signal, and with ENODEV when the device
// goes.
type fuseChannel struct {
	fs.Inode
	tape *tape

	mu   sync.Mutex
	name string    // "" while there is no device
	node *fs.Inode // the device
	ino  uint64

	asked, opened atomic.Int64
}

var _ = fs.NodeLookuper((*fuseChannel)(nil))

// newFUSE mounts a file system on dir for the time of the test.
func newFUSE(t testing.TB, tp *tape, dir string) channel {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil || os.Geteuid() != 0 {
		kit.Missing(t, "needs root and /dev/fuse: %v", err)
	}
	c := &fuseChannel{tape: tp}
	zero := time.Duration(0)
	server, err := fs.Mount(dir, c, &fs.Options{
		MountOptions: fuse.MountOptions{DirectMountStrict: true, AllowOther: true, FsName: "hwrngd-faults", Name: "hwrngd-faults"},
		// Nothing is kept, or an unplug would show late.
		EntryTimeout: &zero, AttrTimeout: &zero, NegativeTimeout: &zero,
	})
	if err != nil {
		kit.Missing(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() {
		_ = c.unplug()
		// The daemon, which has ended, may need a moment to let go.
		for deadline := time.Now().Add(kit.Patience); ; time.Sleep(20 * time.Millisecond) {
			if err := server.Unmount(); err == nil || time.Now().After(deadline) {
				if err != nil {
					t.Errorf("unmount %s: %v", dir, err)
				}
				return
			}
		}
	})
	return c
}

func (c *fuseChannel) plug(path string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ino++
	ctx, cancel := context.WithCancel(context.Background())
	c.node = c.NewInode(context.Background(), &fuseDevice{channel: c, gone: ctx, cancel: cancel}, fs.StableAttr{Mode: syscall.S_IFREG, Ino: 100 + c.ino})
	c.name = filepath.Base(path)
	return nil
}

func (c *fuseChannel) unplug() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.node != nil {
		c.node.Operations().(*fuseDevice).cancel()
	}
	c.name, c.node = "", nil
	return nil
}

// Lookup implements fs.NodeLookuper.
func (c *fuseChannel) Lookup(_ context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.node == nil || name != c.name {
		return nil, syscall.ENOENT
	}
	out.Mode = syscall.S_IFREG | 0o644
	return c.node, 0
}

// fuseDevice is a device from its plug to its unplug.
type fuseDevice struct {
	fs.Inode
	channel *fuseChannel
	gone    context.Context
	cancel  context.CancelFunc
}

var (
	_ = fs.NodeOpener((*fuseDevice)(nil))
	_ = fs.NodeReader((*fuseDevice)(nil))
)

// Open implements fs.NodeOpener.
func (d *fuseDevice) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	d.channel.opened.Add(1)
	return nil, fuse.FOPEN_DIRECT_IO | fuse.FOPEN_NONSEEKABLE | fuse.FOPEN_STREAM, 0
}

// Read implements fs.NodeReader.
func (d *fuseDevice) Read(ctx context.Context, _ fs.FileHandle, dest []byte, _ int64) (fuse.ReadResult, syscall.Errno) {
	d.channel.asked.Add(1)
	reading, cancel := context.WithCancel(ctx) // it ends with a signal to the reader
	defer cancel()
	defer context.AfterFunc(d.gone, cancel)()
	data, err := d.channel.tape.next(reading, len(dest))
	var errno syscall.Errno
	switch {
	case d.gone.Err() != nil:
		return nil, syscall.ENODEV
	case err == nil:
		return fuse.ReadResultData(data), 0
	case errors.As(err, &errno):
		return nil, errno
	}
	return nil, syscall.EINTR
}

// counts returns how many reads and opens reached the device.
func (c *fuseChannel) counts() (asked, opened int64) { return c.asked.Load(), c.opened.Load() }

// What the tape says reaches the reader as it stands there.
func TestFUSE(t *testing.T) {
	dir, tp := t.TempDir(), newTape()
	ch := newFUSE(t, tp, dir)
	path := filepath.Join(dir, "device")
	if _, err := os.Stat(path); err == nil {
		t.Error("there before it is plugged")
	}
	if err := ch.plug(path); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	buf := make([]byte, 100)
	tp.add(script.Fail{Errno: syscall.EIO, Times: 1})
	tp.add(script.Feed{Stream: script.Stream{Name: "G10"}, Bytes: 5, Chunk: 3})
	tp.add(script.Silence{})
	if n, err := f.Read(buf); n != 0 || !errors.Is(err, syscall.EIO) {
		t.Errorf("%d bytes, %v, want EIO", n, err)
	}
	for _, want := range []int{3, 2} {
		if n, err := f.Read(buf); n != want || err != nil {
			t.Errorf("%d bytes, %v, want %d", n, err, want)
		}
	}
	time.AfterFunc(50*time.Millisecond, func() { _ = ch.unplug() })
	if n, err := f.Read(buf); n != 0 || !errors.Is(err, syscall.ENODEV) {
		t.Errorf("%d bytes, %v, want ENODEV from a read that waits while the device goes", n, err)
	}
	if n, err := f.Read(buf); n != 0 || err == nil || err == io.EOF {
		t.Errorf("%d bytes, %v after the device went", n, err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("there after it is unplugged")
	}
	if err := ch.plug(path); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error("not there when it is plugged again:", err)
	}
	if asked, opened := ch.(*fuseChannel).counts(); asked != 5 || opened != 1 {
		t.Errorf("%d reads, %d opens, want 5, 1", asked, opened)
	}
}
