/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cgupnp.h"

#include "clinux.h"
#include <glib.h>

/* GUPnP's headers need those of other libraries in folders of their own, so these functions are declared
 * here. Objects are `void *`, types are GType, and enumerations are `int`. */
#define GUPNP(X) \
    X(void *, gupnp_context_manager_create_full, (int version, int family, guint port)) \
    X(void, gupnp_context_manager_manage_control_point, (void *manager, void *point)) \
    X(void *, gupnp_control_point_new, (void *context, const char *target)) \
    X(const char *, gupnp_device_info_get_udn, (void *device)) \
    X(const char *, gupnp_device_info_get_location, (void *device)) \
    X(char *, gupnp_device_info_get_friendly_name, (void *device)) \
    X(char *, gupnp_device_info_get_model_name, (void *device)) \
    X(void *, gupnp_device_info_get_service, (void *device, const char *type)) \
    X(void *, gupnp_device_info_get_context, (void *device)) \
    X(void *, gupnp_service_proxy_action_new, (const char *name, ...)) \
    X(void, gupnp_service_proxy_action_unref, (void *action)) \
    X(gboolean, gupnp_service_proxy_action_get_result, (void *action, GError **error, ...)) \
    X(void, gupnp_service_proxy_call_action_async, \
      (void *proxy, void *action, void *cancellable, void (*done)(void *, void *, void *), void *data)) \
    X(void *, gupnp_service_proxy_call_action_finish, (void *proxy, void *result, GError **error)) \
    X(void, gupnp_context_host_path, (void *context, const char *path, const char *name)) \
    X(guint, gupnp_context_get_port, (void *context))
#define GSSDP(X) \
    X(gboolean, gssdp_resource_browser_set_active, (void *browser, gboolean is_active)) \
    X(const char *, gssdp_client_get_host_ip, (void *client))
#define GOBJECT(X) \
    X(gulong, g_signal_connect_data, \
      (void *object, const char *signal, void (*handler)(void), void *data, void *notify, int flags)) \
    X(void *, g_object_ref, (void *object)) \
    X(void, g_object_unref, (void *object))
#define GIO(X) \
    X(void *, g_cancellable_new, (void)) \
    X(void, g_cancellable_cancel, (void *cancellable)) \
    X(char *, g_content_type_guess, (const char *name, const guchar *data, gsize size, gboolean *is_uncertain)) \
    X(char *, g_content_type_get_mime_type, (const char *type))

#define DECLARE(result, name, parameters) result(*name) parameters;
#define FIND(result, name, parameters) {#name, &table.name},
static struct {
    GUPNP(DECLARE) GSSDP(DECLARE) GOBJECT(DECLARE) GIO(DECLARE)
} table;

enum { version_1_0 = 1, ipv4 = 2, type_string = 16 << 2, seconds_to_answer = 15 };

static const char *open_library(
    const char *name, const char *package, const struct clinux_function *functions, size_t size) {
    return clinux_open_library(name, package, functions, size / sizeof *functions);
}

const char *cgupnp_load(void) {
    static const struct clinux_function gupnp[] = {GUPNP(FIND)}, gssdp[] = {GSSDP(FIND)};
    static const struct clinux_function gobject[] = {GOBJECT(FIND)}, gio[] = {GIO(FIND)};
    static int is_loaded;
    if (is_loaded) return NULL;
    const char *reason = open_library("libgupnp-1.6.so.0", "libgupnp-1.6-0", gupnp, sizeof gupnp);
    if (!reason) reason = open_library("libgssdp-1.6.so.0", "libgssdp-1.6-0", gssdp, sizeof gssdp);
    if (!reason) reason = open_library("libgobject-2.0.so.0", "libglib2.0-0", gobject, sizeof gobject);
    if (!reason) reason = open_library("libgio-2.0.so.0", "libglib2.0-0", gio, sizeof gio);
    is_loaded = !reason;
    return reason;
}

struct cgupnp {
    GMainContext *loop;
    void *manager;
    char *type;
    /* Objects that are released at the end. */
    GPtrArray *points, *devices;
    int is_due;
};

static void found(void *point, void *device, void *data) {
    (void)point;
    struct cgupnp *search = data;
    const char *id = table.gupnp_device_info_get_udn(device);
    for (guint i = 0; i < search->devices->len; i++)
        if (!g_strcmp0(table.gupnp_device_info_get_udn(search->devices->pdata[i]), id)) return;
    g_ptr_array_add(search->devices, table.g_object_ref(device));
    search->is_due = 1;
}

/* Searches in a network that can be used. */
static void network_available(void *manager, void *context, void *data) {
    struct cgupnp *search = data;
    void *point = table.gupnp_control_point_new(context, search->type);
    g_ptr_array_add(search->points, point);
    table.g_signal_connect_data(point, "device-proxy-available", (void (*)(void))found, search, NULL, 0);
    table.gssdp_resource_browser_set_active(point, TRUE);
    table.gupnp_context_manager_manage_control_point(manager, point);
}

struct cgupnp *cgupnp_open(const char *type) {
    struct cgupnp *search = g_new0(struct cgupnp, 1);
    search->loop = g_main_context_new();
    g_main_context_push_thread_default(search->loop);
    search->type = g_strdup(type);
    search->points = g_ptr_array_new_with_free_func(table.g_object_unref);
    search->devices = g_ptr_array_new_with_free_func(table.g_object_unref);
    search->manager = table.gupnp_context_manager_create_full(version_1_0, ipv4, 0);
    table.g_signal_connect_data(
        search->manager, "context-available", (void (*)(void))network_available, search, NULL, 0);
    return search;
}

void cgupnp_close(struct cgupnp *search) {
    g_ptr_array_unref(search->devices);
    g_ptr_array_unref(search->points);
    table.g_object_unref(search->manager);
    g_main_context_pop_thread_default(search->loop);
    g_main_context_unref(search->loop);
    g_free(search->type);
    g_free(search);
}

static gboolean time_is_over(void *flag) {
    *(int *)flag = 1;
    return G_SOURCE_REMOVE;
}

/* Sets a flag after some time, unless the timer is ended before. */
static GSource *begin_timer(struct cgupnp *search, unsigned milliseconds, int *flag) {
    GSource *timer = g_timeout_source_new(milliseconds);
    *flag = 0;
    g_source_set_callback(timer, time_is_over, flag, NULL);
    g_source_attach(timer, search->loop);
    return timer;
}

static void end_timer(GSource *timer) {
    g_source_destroy(timer);
    g_source_unref(timer);
}

void cgupnp_wait(struct cgupnp *search, unsigned milliseconds) {
    GSource *timer = begin_timer(search, milliseconds, &search->is_due);
    while (!search->is_due) g_main_context_iteration(search->loop, TRUE);
    end_timer(timer);
}

size_t cgupnp_count(const struct cgupnp *search) { return search->devices->len; }

struct cgupnp_device cgupnp_device(const struct cgupnp *search, size_t number) {
    void *device = search->devices->pdata[number];
    return (struct cgupnp_device){
        .id = table.gupnp_device_info_get_udn(device),
        .location = table.gupnp_device_info_get_location(device),
        .name = table.gupnp_device_info_get_friendly_name(device),
        .model = table.gupnp_device_info_get_model_name(device),
    };
}

/* Returns the message of an error and frees it. */
static char *message_of(GError *error) {
    char *message = g_strdup(error->message);
    g_error_free(error);
    return message;
}

/* An action that is being called. */
struct performance {
    int is_done;
    void *result;
    GError **error;
};

static void performed(void *service, void *result, void *data) {
    struct performance *performance = data;
    performance->is_done = 1;
    performance->result = table.gupnp_service_proxy_call_action_finish(service, result, performance->error);
}

/* Calls an action and goes on serving: a device may read a file before it answers. Returns NULL if that
 * fails. */
static void *perform(struct cgupnp *search, void *service, void *action, GError **error) {
    struct performance performance = {.error = error};
    void *cancellable = table.g_cancellable_new();
    int is_late;
    GSource *timer = begin_timer(search, seconds_to_answer * 1000, &is_late);
    table.gupnp_service_proxy_call_action_async(service, action, cancellable, performed, &performance);
    while (!performance.is_done) {
        g_main_context_iteration(search->loop, TRUE);
        if (is_late) table.g_cancellable_cancel(cancellable);
    }
    end_timer(timer);
    table.g_object_unref(cancellable);
    return performance.result;
}

char *cgupnp_call(struct cgupnp *search, size_t number, const struct cgupnp_action *call, char *results[2]) {
    void *service = table.gupnp_device_info_get_service(search->devices->pdata[number], call->service);
    if (!service) return g_strdup_printf("it has no %s", call->service);
    const gsize text = type_string;
    void *action = table.gupnp_service_proxy_action_new(
        call->name, "InstanceID", text, "0", call->first.name, text, call->first.value, call->second.name, text,
        call->second.value, NULL);
    GError *error = NULL;
    results[0] = results[1] = NULL;
    if (perform(search, service, action, &error))
        table.gupnp_service_proxy_action_get_result(
            action, &error, call->results[0], text, &results[0], call->results[1], text, &results[1], NULL);
    table.gupnp_service_proxy_action_unref(action);
    table.g_object_unref(service);
    return error ? message_of(error) : NULL;
}

char *cgupnp_serve(struct cgupnp *search, size_t number, const char *path, const char *name) {
    void *context = table.gupnp_device_info_get_context(search->devices->pdata[number]);
    table.gupnp_context_host_path(context, path, name);
    return g_strdup_printf(
        "http://%s:%u%s", table.gssdp_client_get_host_ip(context), table.gupnp_context_get_port(context), name);
}

char *cgupnp_media_type(const char *name) {
    char *type = table.g_content_type_guess(name, NULL, 0, NULL);
    char *media_type = table.g_content_type_get_mime_type(type);
    g_free(type);
    return media_type;
}

void cgupnp_free(void *text) { g_free(text); }
