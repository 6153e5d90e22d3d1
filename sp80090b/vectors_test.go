package sp80090b

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// vectorsDir is where NIST's sample files and reference results are: in the directory
// that HWRNGD_VECTORS names, or beside the tree.
func vectorsDir() string {
	if dir := os.Getenv("HWRNGD_VECTORS"); dir != "" {
		return filepath.Join(dir, "sp80090b")
	}
	return filepath.Join("..", "..", "shared", "vectors", "sp80090b")
}

// readVector reads one of NIST's files, or skips the test.
func readVector(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(vectorsDir(), name))
	if errors.Is(err, fs.ErrNotExist) {
		t.Skipf("NIST'S REFERENCE RESULTS WERE NOT COMPARED: set HWRNGD_VECTORS to their directory: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestReferenceResults compares with the results of NIST's tool.
func TestReferenceResults(t *testing.T) {
	var vectors []struct {
		File       string
		Bits       int
		SHA256     string
		MinEntropy struct {
			BitString, Literal map[string]float64
		} `json:"min_entropy_per_symbol"`
		Summary struct {
			HOriginal  float64 `json:"H_original"`
			HBitString float64 `json:"H_bitstring"`
			Assessed   float64 `json:"assessed_min_entropy"`
		}
	}
	if err := json.Unmarshal(readVector(t, "expected.json"), &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) == 0 {
		t.Fatal("no vectors")
	}
	for _, v := range vectors {
		t.Run(v.File, func(t *testing.T) {
			samples := readVector(t, v.File)
			if sum := sha256.Sum256(samples); hex.EncodeToString(sum[:]) != v.SHA256 {
				t.Fatal("the file is not the one of the reference results")
			}
			if small() && len(samples) > 100_000 {
				t.Skip("a large file, neither for -short nor for the race detector")
			}
			a, err := Assess(t.Context(), samples, v.Bits, AssessOptions{})
			if err != nil {
				t.Fatal(err)
			}
			sameEstimates(t, "literal", a.Literal, v.MinEntropy.Literal, 1e-6)
			sameEstimates(t, "bit string", a.BitString, v.MinEntropy.BitString, 1e-6)
			for name, pair := range map[string][2]float64{
				"H_original":           {a.HOriginal, v.Summary.HOriginal},
				"H_bitstring":          {a.HBitString, v.Summary.HBitString},
				"assessed min-entropy": {a.AssessedMinEntropy, v.Summary.Assessed},
			} {
				if !(math.Abs(pair[0]-pair[1]) <= 1e-6) {
					t.Errorf("%s is %.9f, want %.9f", name, pair[0], pair[1])
				}
			}
		})
	}
}

// sameEstimates fails the test if there are others than wanted, or other values.
func sameEstimates(t *testing.T, kind string, got Estimates, want map[string]float64, tolerance float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d estimates, want %d", kind, len(got), len(want))
	}
	for _, e := range got {
		h, ok := want[e.Name]
		if !ok || !(math.Abs(e.MinEntropy-h) <= tolerance) {
			t.Errorf("%s: %s is %.9f, want %.9f", kind, e.Name, e.MinEntropy, h)
		}
	}
}

// TestOwnVectors has results of the oracle, so that no other files are needed.
func TestOwnVectors(t *testing.T) {
	for _, v := range []struct {
		name    string
		samples []byte
		bits    int
		literal figures
		string  figures
	}{
		{
			"uniform bytes", uniform(101, 8000, 256), 8,
			figures{6.900198520, -1, -1, -1, 6.900198520, 7.416808442, 7.022700552, 7.503460076, 7.544302616, 7.627768620},
			figures{0.976752808, 0.880145337, 0.993034504, 0.718948210, 0.914351451, 0.978925960, 0.989560783, 0.986969996, 0.980483609, 0.984155799},
		},
		{
			"sticky nibbles", sticky(102, 6000, 16, 7), 4,
			figures{3.417734463, -1, -1, -1, 1.662448661, 1.346439373, 1.143713007, 1.548419961, 1.010763892, 1.010551019},
			figures{0.928533571, 0.644920147, 0.924135709, 0.303093046, 0.271886659, 0.352239964, 0.337868581, 0.407713775, 0.261867001, 0.337921743},
		},
		{
			"biased, three bits, five values", biased(103, 6000, 5, 3), 3,
			figures{0.420076565, -1, -1, -1, 0.361817981, 0.678760915, 0.420195155, 0.779190938, 0.422139675, 0.422112337},
			figures{0.159203547, 0.123981362, 0.147969052, 0.080329012, 0.116304646, 0.234675598, 0.159358504, 0.213117304, 0.159309698, 0.159450706},
		},
		{
			"uniform bits", uniform(104, 20000, 2), 1,
			figures{0.957337383, 0.835041936, 0.984876562, 0.689823143, 0.908975754, 0.974208750, 0.954368204, 0.990705965, 0.977788602, 0.965958178},
			noFigures(),
		},
		{
			"biased bits", biased(105, 20000, 2, 4), 1,
			figures{0.181224451, 0.179365141, 0.193123201, 0.103917716, 0.131115216, 0.265918903, 0.181274435, 0.236265122, 0.181323934, 0.181389326},
			noFigures(),
		},
		{
			"repeated bits", repeated(106, 20000, 2, 100), 1,
			figures{0.966469075, 0.790962381, 0.978599746, 0.540232730, 0.802327637, 0.178675398, 0.926055675, 0.944024627, 0.826723344, 0.968216146},
			noFigures(),
		},
	} {
		t.Run(v.name, func(t *testing.T) {
			a, err := Assess(t.Context(), v.samples, v.bits, AssessOptions{Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			byName := func(f figures) map[string]float64 {
				m := map[string]float64{}
				for _, e := range f.estimates(nil) {
					m[e.Name] = e.MinEntropy
				}
				return m
			}
			sameEstimates(t, "literal", a.Literal, byName(v.literal), 1e-8)
			sameEstimates(t, "bit string", a.BitString, byName(v.string), 1e-8)
		})
	}
}
