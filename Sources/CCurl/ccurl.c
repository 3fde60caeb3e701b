/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ccurl.h"

#include "clinux.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

/* The functions of curl.h that are called here. */
static struct {
    CURLcode (*global_init)(long);
    CURL *(*easy_init)(void);
    void (*easy_cleanup)(CURL *);
    CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
    CURLcode (*easy_getinfo)(CURL *, CURLINFO, ...);
    const char *(*easy_strerror)(CURLcode);
    CURLM *(*multi_init)(void);
    CURLMcode (*multi_cleanup)(CURLM *);
    CURLMcode (*multi_add_handle)(CURLM *, CURL *);
    CURLMcode (*multi_remove_handle)(CURLM *, CURL *);
    CURLMcode (*multi_perform)(CURLM *, int *);
    CURLMcode (*multi_poll)(CURLM *, struct curl_waitfd *, unsigned, int, int *);
    CURLMcode (*multi_wakeup)(CURLM *);
    CURLMsg *(*multi_info_read)(CURLM *, int *);
    struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
    void (*slist_free_all)(struct curl_slist *);
    time_t (*getdate)(const char *, const time_t *);
} curl;

static const struct clinux_function functions[] = {
    {"curl_global_init", &curl.global_init},
    {"curl_easy_init", &curl.easy_init},
    {"curl_easy_cleanup", &curl.easy_cleanup},
    {"curl_easy_setopt", &curl.easy_setopt},
    {"curl_easy_getinfo", &curl.easy_getinfo},
    {"curl_easy_strerror", &curl.easy_strerror},
    {"curl_multi_init", &curl.multi_init},
    {"curl_multi_cleanup", &curl.multi_cleanup},
    {"curl_multi_add_handle", &curl.multi_add_handle},
    {"curl_multi_remove_handle", &curl.multi_remove_handle},
    {"curl_multi_perform", &curl.multi_perform},
    {"curl_multi_poll", &curl.multi_poll},
    {"curl_multi_wakeup", &curl.multi_wakeup},
    {"curl_multi_info_read", &curl.multi_info_read},
    {"curl_slist_append", &curl.slist_append},
    {"curl_slist_free_all", &curl.slist_free_all},
    {"curl_getdate", &curl.getdate},
};

/* OpenSSL frees its state in exit(3) unless told, while the thread of the transfers may still use it. */
static void keep_openssl_until_the_end(void)
{
    static const uint64_t no_atexit = 0x00080000; /* OPENSSL_INIT_NO_ATEXIT */
    int (*initialize)(uint64_t, const void *);
    const struct clinux_function function = {"OPENSSL_init_crypto", &initialize};
    /* libcurl with another TLS library may lack it. */
    if (!clinux_open_library("libcrypto.so.3", "libssl3", &function, 1))
        initialize(no_atexit, NULL);
}

const char *ccurl_load(void)
{
    static int is_loaded;
    if (is_loaded)
        return NULL;
    const char *reason =
        clinux_open_library("libcurl.so.4", "libcurl4", functions, sizeof functions / sizeof *functions);
    if (reason)
        return reason;
    keep_openssl_until_the_end();
    if (curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return "libcurl cannot be initialized";
    is_loaded = 1;
    return NULL;
}

struct transfer {
    CURL *easy;
    struct curl_slist *headers;
    void *context;
    void (*header)(const char *, size_t, void *);
    int (*body)(const uint8_t *, size_t, const char *, void *);
    char reason[CURL_ERROR_SIZE];
};

static size_t take_header(char *line, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    transfer->header(line, size * count, transfer->context);
    return size * count;
}

static size_t take_body(char *bytes, size_t size, size_t count, void *context)
{
    struct transfer *transfer = context;
    const char *url = NULL;
    curl.easy_getinfo(transfer->easy, CURLINFO_EFFECTIVE_URL, &url);
    return transfer->body((const uint8_t *)bytes, size * count, url, transfer->context) ? size * count : 0;
}

void *ccurl_open(void) { return curl.multi_init(); }

void ccurl_close(void *set) { curl.multi_cleanup(set); }

static void release(struct transfer *transfer)
{
    if (transfer->easy) curl.easy_cleanup(transfer->easy);
    if (transfer->headers) curl.slist_free_all(transfer->headers);
    free(transfer);
}

/* Sets all options. Returns 0 if memory is short. */
static int prepare(struct transfer *transfer, const struct ccurl_request *request)
{
    CURL *easy = transfer->easy;
    for (size_t i = 0; i < request->header_count; i++) {
        struct curl_slist *longer = curl.slist_append(transfer->headers, request->headers[i]);
        if (!longer) return 0;
        transfer->headers = longer;
    }
    /* A redirect must not give up the protection of TLS. */
    const char *protocols = strncmp(request->url, "https:", 6) ? "http,https" : "https";
    CURLcode code = CURLE_OK;
#define SET(option, value) if (code == CURLE_OK) code = curl.easy_setopt(easy, option, value)
    SET(CURLOPT_URL, request->url);
    SET(CURLOPT_PRIVATE, transfer);
    SET(CURLOPT_ERRORBUFFER, transfer->reason);
    SET(CURLOPT_HTTPHEADER, transfer->headers);
    SET(CURLOPT_USERAGENT, request->user_agent);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_PROTOCOLS_STR, protocols);
    SET(CURLOPT_REDIR_PROTOCOLS_STR, protocols);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, 10L);
    SET(CURLOPT_CONNECTTIMEOUT, request->connect_s);
    SET(CURLOPT_LOW_SPEED_TIME, request->stall_s);
    SET(CURLOPT_LOW_SPEED_LIMIT, request->least_bytes);
    if (request->allows_encoding) SET(CURLOPT_ACCEPT_ENCODING, "");
    if (request->proxy) SET(CURLOPT_PROXY, request->proxy);
    if (request->ca_file) {
        SET(CURLOPT_CAINFO, request->ca_file);
        SET(CURLOPT_CAPATH, NULL);
    }
    SET(CURLOPT_HEADERFUNCTION, take_header);
    SET(CURLOPT_HEADERDATA, transfer);
    SET(CURLOPT_WRITEFUNCTION, take_body);
    SET(CURLOPT_WRITEDATA, transfer);
#undef SET
    return code == CURLE_OK;
}

void *ccurl_begin(void *set, const struct ccurl_request *request)
{
    struct transfer *transfer = calloc(1, sizeof *transfer);
    if (!transfer)
        return NULL;
    transfer->context = request->context;
    transfer->header = request->header;
    transfer->body = request->body;
    transfer->easy = curl.easy_init();
    if (!transfer->easy || !prepare(transfer, request)
        || curl.multi_add_handle(set, transfer->easy) != CURLM_OK) {
        release(transfer);
        return NULL;
    }
    return transfer;
}

void ccurl_end(void *set, void *transfer)
{
    curl.multi_remove_handle(set, ((struct transfer *)transfer)->easy);
    release(transfer);
}

void ccurl_move(void *set)
{
    int running;
    curl.multi_perform(set, &running);
}

void ccurl_wait(void *set) { curl.multi_poll(set, NULL, 0, 60000, NULL); }

static enum ccurl_outcome outcome(CURLcode code)
{
    switch (code) {
    case CURLE_OK: return CCURL_COMPLETE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT: return CCURL_UNREACHABLE;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE: return CCURL_CERTIFICATE;
    case CURLE_OPERATION_TIMEDOUT: return CCURL_STALLED;
    case CURLE_WRITE_ERROR: return CCURL_ENDED_HERE;
    default: return CCURL_BROKEN;
    }
}

int ccurl_next_end(void *set, struct ccurl_end_report *end)
{
    int left;
    for (CURLMsg *message; (message = curl.multi_info_read(set, &left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        struct transfer *transfer = NULL;
        const char *url = NULL;
        curl.easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&transfer);
        curl.easy_getinfo(message->easy_handle, CURLINFO_EFFECTIVE_URL, &url);
        CURLcode code = message->data.result;
        *end = (struct ccurl_end_report){
            .transfer = transfer,
            .outcome = outcome(code),
            .reason = transfer->reason[0] ? transfer->reason : curl.easy_strerror(code),
            .url = url ? url : "",
        };
        return 1;
    }
    return 0;
}

void ccurl_wake(void *set) { curl.multi_wakeup(set); }

int64_t ccurl_date(const char *text) { return curl.getdate(text, NULL); }
