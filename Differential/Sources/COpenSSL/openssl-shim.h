//===----------------------------------------------------------------------===//
// This source file is part of the swift-server-trust open source project
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#pragma once

#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

// Macros, and functions of const correctness Swift cannot see through, as plain functions.

static inline X509 *differential_parse(const unsigned char *bytes, long count) {
    const unsigned char *position = bytes;
    X509 *certificate = d2i_X509(NULL, &position, count);
    if (certificate && position != bytes + count) {
        X509_free(certificate);
        return NULL;
    }
    return certificate;
}

static inline STACK_OF(X509) *differential_stack(void) { return sk_X509_new_null(); }
static inline void differential_push(STACK_OF(X509) *stack, X509 *certificate) { sk_X509_push(stack, certificate); }
static inline void differential_free(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }

static inline int differential_verify(X509_STORE *store, X509 *leaf, STACK_OF(X509) *untrusted, const char *host,
                                      const char *address, long long time, unsigned long flags) {
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    if (!context || !X509_STORE_CTX_init(context, store, leaf, untrusted)) {
        X509_STORE_CTX_free(context);
        return -1;
    }
    X509_STORE_CTX_set_default(context, "ssl_server");
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    X509_VERIFY_PARAM_set_time(parameters, (time_t)time);
    X509_VERIFY_PARAM_set_flags(parameters, flags);
    X509_VERIFY_PARAM_set_auth_level(parameters, 2);
    // RFC 5280 section 6.1.1 (c): any policy will do. OpenSSL takes no set of policies for an empty one.
    X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy));
    if (host) {
        X509_VERIFY_PARAM_set1_host(parameters, host, 0);
        X509_VERIFY_PARAM_set_hostflags(parameters,
                                        X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    }
    if (address) X509_VERIFY_PARAM_set1_ip_asc(parameters, address);
    int verified = X509_verify_cert(context);
    int code = verified == 1 ? X509_V_OK : X509_STORE_CTX_get_error(context);
    X509_STORE_CTX_free(context);
    ERR_clear_error();
    return verified < 0 && code == X509_V_OK ? -1 : code;
}
