// Judges certificate paths with Go's crypto/x509: one JSON request per line in, one JSON answer per line out.
//
// The requests are those of the conformance protocol. Revocation is not looked at, as Go's verifier knows none.
package main

import (
	"bufio"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"os"
	"time"
)

type request struct {
	ID            string   `json:"id"`
	Leaf          string   `json:"leaf"`
	Roots         []string `json:"roots"`
	Intermediates []string `json:"intermediates"`
	Time          int64    `json:"time"`
	PeerName      *struct {
		Value string `json:"value"`
	} `json:"peer_name"`
}

type answer struct {
	ID      string `json:"id"`
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
}

func main() {
	input := bufio.NewReaderSize(os.Stdin, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if json.Unmarshal(line, &asked) != nil {
			return
		}
		given := answer{ID: asked.ID, Verdict: "accept"}
		if reason := judge(asked); reason != "" {
			given.Verdict, given.Reason = "reject", reason
		}
		if output.Encode(given) != nil {
			return
		}
	}
}

func judge(asked request) string {
	leaf, err := parse(asked.Leaf)
	if err != nil {
		return "unreadable: " + err.Error()
	}
	options := x509.VerifyOptions{
		Roots: pool(asked.Roots), Intermediates: pool(asked.Intermediates), CurrentTime: time.Unix(asked.Time, 0),
		KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if asked.PeerName != nil {
		options.DNSName = asked.PeerName.Value
	}
	if _, err := leaf.Verify(options); err != nil {
		return err.Error()
	}
	return ""
}

// What cannot be read is left out, as a program that received it would leave it out.
func pool(certificates []string) *x509.CertPool {
	made := x509.NewCertPool()
	for _, text := range certificates {
		if certificate, err := parse(text); err == nil {
			made.AddCert(certificate)
		}
	}
	return made
}

func parse(text string) (*x509.Certificate, error) {
	der, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(der)
}
