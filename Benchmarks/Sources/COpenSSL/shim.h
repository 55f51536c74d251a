//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// What OpenSSL does for the same question: parse, build, verify. Inline functions, as its stacks are macros.
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <openssl/x509_vfy.h>

static inline X509 *_Nullable peer_parse(const unsigned char *_Nullable der, long count) {
    const unsigned char *position = der;
    return d2i_X509(NULL, &position, count);
}

static inline void peer_free(X509 *_Nullable certificate) { X509_free(certificate); }

static inline int peer_trust(X509_STORE *_Nonnull store, const unsigned char *_Nullable der, long count) {
    X509 *certificate = peer_parse(der, count);
    int added = certificate != NULL && X509_STORE_add_cert(store, certificate);
    X509_free(certificate);
    return added;
}

static inline int peer_verify(
    X509_STORE *_Nonnull store, const unsigned char *_Nullable leaf_der, long leaf_count,
    const unsigned char *_Nullable intermediate_der, long intermediate_count, const char *_Nonnull host
) {
    X509 *leaf = peer_parse(leaf_der, leaf_count);
    X509 *intermediate = peer_parse(intermediate_der, intermediate_count);
    STACK_OF(X509) *chain = sk_X509_new_null();
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    sk_X509_push(chain, intermediate);
    X509_STORE_CTX_init(context, store, leaf, chain);
    X509_STORE_CTX_set_default(context, "ssl_server");
    X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(context), host, 0);
    int verified = X509_verify_cert(context);
    X509_STORE_CTX_free(context);
    sk_X509_pop_free(chain, X509_free);
    X509_free(leaf);
    return verified;
}
