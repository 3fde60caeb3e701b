/* SPDX-License-Identifier: GPL-3.0-or-later */
/* libcamera's cameras. Its C++ interface changes with every minor version, so shim/ is compiled against each system's
 * own headers, as a library that is opened when the first camera is looked for. Functions return 0, or an errno as a
 * negative number, unless they say otherwise. One thread at a time uses a camera, but for its controls. */
#ifndef CLIBCAMERA_H
#define CLIBCAMERA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { clibcamera_streams = 3, clibcamera_planes = 3, clibcamera_slots = 64 };

/* What a stream is for: libcamera's StreamRole. */
enum clibcamera_role { clibcamera_raw, clibcamera_still, clibcamera_video, clibcamera_viewfinder };

/* A camera that is plugged in. */
struct clibcamera_listed {
    /* libcamera's id, which stays as long as the camera is in the same place. */
    char id[256];
    char model[64];
    /* libcamera's Location: 0 front, 1 back, 2 external; -1 if unknown. */
    int location;
    /* The clockwise degrees by which pictures have to be turned; -1 if unknown. */
    int rotation;
    /* The numbers of one of its device files; 0 without any. */
    unsigned device_major, device_minor;
};

/* A pixel format (DRM's code and modifier) with one size, or with all sizes of a range. */
struct clibcamera_format {
    uint32_t fourcc;
    uint64_t modifier;
    unsigned width, height, largest_width, largest_height;
    /* The steps between the sizes of a range. */
    unsigned step_width, step_height;
};

enum clibcamera_matrix { clibcamera_no_matrix, clibcamera_rec601, clibcamera_rec709, clibcamera_rec2020 };

/* A stream: what is wanted, then what was granted. */
struct clibcamera_stream {
    enum clibcamera_role role;
    uint32_t fourcc;
    uint64_t modifier;
    unsigned width, height;
    unsigned buffers;
    /* Granted: bytes from one row of the first plane to the next, and of a frame. */
    unsigned stride, frame_size;
    enum clibcamera_matrix matrix;
    int is_full_range;
};

/* A plane's memory: a DMA-BUF, borrowed. */
struct clibcamera_plane {
    int descriptor;
    unsigned offset, length;
};

/* A frame that is complete. Times are nanoseconds; 0 or a negative number is unknown. */
struct clibcamera_frame {
    unsigned slot;
    /* Whether the frame may be damaged. */
    int is_damaged;
    uint32_t sequence;
    uint32_t bytes_used[clibcamera_streams];
    /* The driver's time, and the beginning of the exposure of the first row. */
    int64_t timestamp, sensor_timestamp;
    int64_t exposure;
    /* Gains: 1 is none, 0 is unknown. */
    float analogue_gain, digital_gain;
};

/* A control's value: numbers of a list, or x, y, width and height of a rectangle. */
struct clibcamera_value {
    unsigned count;
    double numbers[4];
};

struct clibcamera_control {
    char name[48];
    struct clibcamera_value lowest, highest, standard;
    /* The numbers that can be chosen; none if all between the lowest and the highest can. */
    unsigned choices;
    double choice[16];
};

struct clibcamera_camera;

struct clibcamera_functions {
    /* The size of this table: another one is of another version of this header. */
    size_t size;
    const char *version;
    /* Starts libcamera, once in a process. */
    int (*start)(void);
    /* Lists the cameras that are plugged in now. Returns their number, which may be more than there is room for. */
    size_t (*list)(struct clibcamera_listed *cameras, size_t room);

    /* Returns a camera, or NULL without one. */
    struct clibcamera_camera *(*open)(const char *id);
    /* Stops the camera and lets others have it. */
    void (*close)(struct clibcamera_camera *);
    /* Returns a descriptor, which is readable while `take` has something to return. */
    int (*descriptor)(struct clibcamera_camera *);
    /* Reserves the camera for this process. */
    int (*acquire)(struct clibcamera_camera *);
    /* Lists the formats of a role. Returns their number, which may be more than there is room for. */
    size_t (*formats)(struct clibcamera_camera *, enum clibcamera_role, struct clibcamera_format *, size_t room);

    /* Sets up to clibcamera_streams streams, and replaces them by what was granted. */
    int (*configure)(struct clibcamera_camera *, struct clibcamera_stream *, unsigned count);
    /* Allocates memory for a stream. Returns the number of frames. */
    int (*allocate)(struct clibcamera_camera *, unsigned stream);
    /* Fills in the planes of a frame. Returns their number. */
    unsigned (*planes)(struct clibcamera_camera *, unsigned stream, unsigned slot, struct clibcamera_plane *);
    /* Gives a frame of a stream memory of others. */
    int (*import)(
        struct clibcamera_camera *, unsigned stream, unsigned slot, const struct clibcamera_plane *, unsigned planes);

    /* Lets the camera fill a frame of each stream: now, or when it is started. */
    int (*queue)(struct clibcamera_camera *, unsigned slot);
    int (*run)(struct clibcamera_camera *);
    /* Stops the camera. It has no frame to fill afterwards. */
    int (*stop)(struct clibcamera_camera *);
    /* Takes the next frame. Returns 1, or 0 without one, or -ENODEV without a camera. */
    int (*take)(struct clibcamera_camera *, struct clibcamera_frame *);

    /* Describes a control by its index. Returns 0 after the last. Any thread. */
    int (*control)(struct clibcamera_camera *, unsigned index, struct clibcamera_control *);
    /* Sets a control, from the next frame that is queued on, and whenever the camera starts again. Any thread. */
    int (*set)(struct clibcamera_camera *, const char *name, const struct clibcamera_value *);
};

/* The shim's only function. */
const struct clibcamera_functions *vitrine_libcamera(void);

/* Opens the shim at a path once, and starts libcamera. Returns its functions, or NULL and a reason: a text for this
 * thread until its next call. `package` has libcamera. Not for two threads at a time. */
const struct clibcamera_functions *clibcamera_load(const char *path, const char *package, const char **reason);

#ifdef __cplusplus
}
#endif

#endif
