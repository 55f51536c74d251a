// Judges certificate paths and revocation with OpenSSL's libcrypto: one request per line in, one answer per line out.
//
// A request has ten fields between tabs: id, time, host (or "-"), mode (off, soft, hard), flags (a set of letters: e
// for extended list support), leaf, roots, intermediates, lists, responses; the last five in Base64, several between
// commas. An answer is the id, "accept" or "reject", and a reason, between tabs.
//
// Paths: X509_verify_cert with X509_V_FLAG_X509_STRICT and lists for every certificate. Responses: OCSP_basic_verify
// with the path's certificates and OCSP_resp_find_status, as the command `openssl ocsp` does, but with the dates
// compared with the time of the request, where OCSP_check_validity knows only the clock.
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

DEFINE_STACK_OF(OCSP_BASICRESP)

enum { MAXIMUM_DEPTH = 64 };

// What verification found out about lists, by the certificate they were asked about: the first error, whether a list
// has a fault other than its dates, and whether one without such a fault revokes the certificate.
struct findings {
    int error[MAXIMUM_DEPTH];
    int is_void[MAXIMUM_DEPTH];
    int is_revoked[MAXIMUM_DEPTH];
};

struct request {
    char *id, *host, *mode, *flags;
    time_t time;
    X509 *leaf;
    STACK_OF(X509) * roots, *untrusted;
    STACK_OF(X509_CRL) * lists;
    STACK_OF(OCSP_BASICRESP) * responses;
};


static int index_of_findings;

static unsigned char *decode(const char *text, long *count) {
    size_t length = strlen(text);
    unsigned char *bytes = malloc(length / 4 * 3 + 4);
    int decoded = EVP_DecodeBlock(bytes, (const unsigned char *)text, (int)length);
    while (length && text[--length] == '=') decoded--;
    *count = decoded < 0 ? 0 : decoded;
    return bytes;
}

// Calls `add` with each item of a list in Base64.
static void each(char *text, void *target, void (*add)(void *, const unsigned char *, long)) {
    char *rest = NULL;
    for (char *item = strtok_r(text, ",", &rest); item; item = strtok_r(NULL, ",", &rest)) {
        long count;
        unsigned char *bytes = decode(item, &count);
        add(target, bytes, count);
        free(bytes);
    }
}

static X509 *read_certificate(const unsigned char *bytes, long count) {
    const unsigned char *position = bytes;
    X509 *certificate = d2i_X509(NULL, &position, count);
    if (certificate && position != bytes + count) {
        X509_free(certificate);
        return NULL;
    }
    return certificate;
}

// What cannot be read is left out, as a program that received it would leave it out.
static void add_certificate(void *stack, const unsigned char *bytes, long count) {
    X509 *certificate = read_certificate(bytes, count);
    if (certificate) sk_X509_push(stack, certificate);
}

static void add_leaf(void *leaf, const unsigned char *bytes, long count) {
    *(X509 **)leaf = read_certificate(bytes, count);
}

static void add_list(void *stack, const unsigned char *bytes, long count) {
    const unsigned char *position = bytes;
    X509_CRL *list = d2i_X509_CRL(NULL, &position, count);
    if (list) sk_X509_CRL_push(stack, list);
}

static void add_response(void *stack, const unsigned char *bytes, long count) {
    const unsigned char *position = bytes;
    OCSP_RESPONSE *response = d2i_OCSP_RESPONSE(NULL, &position, count);
    OCSP_BASICRESP *basic = response ? OCSP_response_get1_basic(response) : NULL;
    if (basic) sk_OCSP_BASICRESP_push(stack, basic);
    OCSP_RESPONSE_free(response);
}

static int is_about_lists(int error) {
    switch (error) {
    case X509_V_ERR_UNABLE_TO_GET_CRL: case X509_V_ERR_UNABLE_TO_DECRYPT_CRL_SIGNATURE:
    case X509_V_ERR_CRL_SIGNATURE_FAILURE: case X509_V_ERR_CRL_NOT_YET_VALID: case X509_V_ERR_CRL_HAS_EXPIRED:
    case X509_V_ERR_ERROR_IN_CRL_LAST_UPDATE_FIELD: case X509_V_ERR_ERROR_IN_CRL_NEXT_UPDATE_FIELD:
    case X509_V_ERR_CERT_REVOKED: case X509_V_ERR_UNABLE_TO_GET_CRL_ISSUER: case X509_V_ERR_KEYUSAGE_NO_CRL_SIGN:
    case X509_V_ERR_UNHANDLED_CRITICAL_CRL_EXTENSION: case X509_V_ERR_DIFFERENT_CRL_SCOPE:
    case X509_V_ERR_CRL_PATH_VALIDATION_ERROR: return 1;
    default: return 0;
    }
}

// Notes what lists say and goes on, so that a response may still clear the certificate.
static int note(int verified, X509_STORE_CTX *context) {
    int error = X509_STORE_CTX_get_error(context), depth = X509_STORE_CTX_get_error_depth(context);
    if (verified || !is_about_lists(error) || X509_STORE_CTX_get0_parent_ctx(context)) return verified;
    struct findings *findings = X509_STORE_get_ex_data(X509_STORE_CTX_get0_store(context), index_of_findings);
    if (!findings || depth < 0 || depth >= MAXIMUM_DEPTH) return 0;
    if (error == X509_V_ERR_CERT_REVOKED) findings->is_revoked[depth] = !findings->is_void[depth];
    else if (error != X509_V_ERR_CRL_HAS_EXPIRED && error != X509_V_ERR_CRL_NOT_YET_VALID) findings->is_void[depth] = 1;
    if (!findings->error[depth]) findings->error[depth] = error;
    X509_STORE_CTX_set_error(context, X509_V_OK);
    return 1;
}

static void set_parameters(X509_VERIFY_PARAM *parameters, struct request *request, int with_lists) {
    unsigned long flags = X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_POLICY_CHECK | X509_V_FLAG_X509_STRICT;
    if (with_lists) flags |= X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL | X509_V_FLAG_USE_DELTAS;
    if (with_lists && strchr(request->flags, 'e')) flags |= X509_V_FLAG_EXTENDED_CRL_SUPPORT;
    X509_VERIFY_PARAM_set_time(parameters, request->time);
    X509_VERIFY_PARAM_set_flags(parameters, flags);
    X509_VERIFY_PARAM_set_auth_level(parameters, 2);
    // RFC 5280 section 6.1.1 (c): any policy will do. OpenSSL takes no set of policies for an empty one.
    X509_VERIFY_PARAM_add0_policy(parameters, OBJ_nid2obj(NID_any_policy));
}

static void set_host(X509_VERIFY_PARAM *parameters, const char *host) {
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
    if (address) {
        X509_VERIFY_PARAM_set1_ip_asc(parameters, host);
        ASN1_OCTET_STRING_free(address);
    } else {
        X509_VERIFY_PARAM_set1_host(parameters, host, 0);
        X509_VERIFY_PARAM_set_hostflags(
            parameters, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    }
}

static X509_STORE *make_store(struct request *request, struct findings *findings) {
    X509_STORE *store = X509_STORE_new();
    for (int i = 0; i < sk_X509_num(request->roots); i++) X509_STORE_add_cert(store, sk_X509_value(request->roots, i));
    X509_STORE_set_ex_data(store, index_of_findings, findings);
    return store;
}

// 1 for good, -1 for revoked, 0 for nothing usable.
static int response_status(
    OCSP_BASICRESP *basic, X509 *certificate, X509 *issuer, STACK_OF(X509) * path, X509_STORE *store, time_t now
) {
    int result = 0;
    for (int i = 0; i < OCSP_resp_count(basic) && result >= 0; i++) {
        OCSP_SINGLERESP *single = OCSP_resp_get0(basic, i);
        const OCSP_CERTID *named = OCSP_SINGLERESP_get0_id(single);
        ASN1_OBJECT *algorithm;
        OCSP_id_get0_info(NULL, &algorithm, NULL, NULL, (OCSP_CERTID *)named);
        const EVP_MD *digest = EVP_get_digestbyobj(algorithm);
        OCSP_CERTID *wanted = digest ? OCSP_cert_to_id(digest, certificate, issuer) : NULL;
        if (!wanted) continue;
        if (OCSP_id_cmp(named, wanted) == 0) {
            ASN1_GENERALIZEDTIME *from = NULL, *until = NULL;
            int status = OCSP_single_get0_status(single, NULL, NULL, &from, &until);
            int current = ASN1_TIME_cmp_time_t(from, now + 300) <= 0
                && (!until || ASN1_TIME_cmp_time_t(until, now - 300) >= 0)
                && (!until || ASN1_TIME_compare(until, from) >= 0);
            if (status == V_OCSP_CERTSTATUS_REVOKED) result = -1;
            if (status == V_OCSP_CERTSTATUS_GOOD && current) result = 1;
        }
        OCSP_CERTID_free(wanted);
    }
    if (result && OCSP_basic_verify(basic, path, store, 0) != 1) result = 0;
    return result;
}

static int all_responses(struct request *request, STACK_OF(X509) * path, int index, X509_STORE *store) {
    int result = 0;
    if (index + 1 >= sk_X509_num(path)) return 0;
    for (int i = 0; i < sk_OCSP_BASICRESP_num(request->responses); i++) {
        int status = response_status(
            sk_OCSP_BASICRESP_value(request->responses, i), sk_X509_value(path, index), sk_X509_value(path, index + 1),
            path, store, request->time);
        if (status < 0) return -1;
        if (status > 0) result = 1;
    }
    return result;
}

static const char *revocation(struct request *request, struct findings *findings, STACK_OF(X509) * path) {
    int is_hard = strcmp(request->mode, "hard") == 0;
    struct findings none;
    memset(&none, 0, sizeof none);
    X509_STORE *store = make_store(request, &none);
    X509_VERIFY_PARAM_set_time(X509_STORE_get0_param(store), request->time);
    X509_VERIFY_PARAM_set_flags(X509_STORE_get0_param(store), X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_X509_STRICT);
    X509_VERIFY_PARAM_set_auth_level(X509_STORE_get0_param(store), 2);
    const char *reason = NULL;
    for (int i = 0; i + 1 < sk_X509_num(path) && !reason; i++) {
        int status = all_responses(request, path, i, store), error = findings->error[i];
        if (status < 0 || findings->is_revoked[i]) reason = "certificate revoked";
        else if (is_hard && status == 0 && error) reason = X509_verify_cert_error_string(error);
    }
    X509_STORE_free(store);
    return reason;
}

static const char *judge(struct request *request) {
    if (!request->leaf) return "unreadable";
    int checks = strcmp(request->mode, "off") != 0;
    struct findings findings;
    memset(&findings, 0, sizeof findings);
    X509_STORE *store = make_store(request, &findings);
    X509_STORE_CTX *context = X509_STORE_CTX_new();
    X509_STORE_CTX_init(context, store, request->leaf, request->untrusted);
    X509_STORE_CTX_set_default(context, "ssl_server");
    X509_STORE_CTX_set0_crls(context, request->lists);
    X509_STORE_CTX_set_verify_cb(context, note);
    X509_VERIFY_PARAM *parameters = X509_STORE_CTX_get0_param(context);
    set_parameters(parameters, request, checks);
    if (strcmp(request->host, "-") != 0) set_host(parameters, request->host);
    const char *reason = NULL;
    if (X509_verify_cert(context) != 1) {
        int error = X509_STORE_CTX_get_error(context);
        reason = error == X509_V_OK ? "internal error" : X509_verify_cert_error_string(error);
    } else if (checks) {
        reason = revocation(request, &findings, X509_STORE_CTX_get0_chain(context));
    }
    X509_STORE_CTX_free(context);
    X509_STORE_free(store);
    return reason;
}

static int read_request(char *line, struct request *request) {
    char *fields[10];
    for (int i = 0; i < 10; i++) {
        fields[i] = line;
        char *tab = strpbrk(line, i < 9 ? "\t" : "\n");
        if (!tab) return 0;
        *tab = 0;
        line = tab + 1;
    }
    *request = (struct request){.id = fields[0], .host = fields[2], .mode = fields[3], .flags = fields[4]};
    request->time = (time_t)atoll(fields[1]);
    request->roots = sk_X509_new_null();
    request->untrusted = sk_X509_new_null();
    request->lists = sk_X509_CRL_new_null();
    request->responses = sk_OCSP_BASICRESP_new_null();
    each(fields[5], &request->leaf, add_leaf);
    each(fields[6], request->roots, add_certificate);
    each(fields[7], request->untrusted, add_certificate);
    each(fields[8], request->lists, add_list);
    each(fields[9], request->responses, add_response);
    return 1;
}

static void forget(struct request *request) {
    X509_free(request->leaf);
    sk_X509_pop_free(request->roots, X509_free);
    sk_X509_pop_free(request->untrusted, X509_free);
    sk_X509_CRL_pop_free(request->lists, X509_CRL_free);
    sk_OCSP_BASICRESP_pop_free(request->responses, OCSP_BASICRESP_free);
    ERR_clear_error();
}

int main(void) {
    index_of_findings = X509_STORE_get_ex_new_index(0, NULL, NULL, NULL, NULL);
    char *line = NULL;
    size_t capacity = 0;
    struct request request;
    while (getline(&line, &capacity, stdin) > 0 && read_request(line, &request)) {
        const char *reason = judge(&request);
        printf("%s\t%s\t%s\n", request.id, reason ? "reject" : "accept", reason ? reason : "");
        fflush(stdout);
        forget(&request);
    }
    free(line);
    return 0;
}
