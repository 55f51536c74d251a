"""Makes certificates, revocation lists and OCSP responses with one thing wrong or odd, and asks several judges about them."""
