/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V4L2's requests are function-like macros, and its buffer structure is a union that is read in
 * two ways (single- and multi-planar): Swift can use neither. This shim has one function per
 * request. */
#ifndef CV4L2_H
#define CV4L2_H

#include <linux/videodev2.h>
#include <stdint.h>

/* v4l2_buffer with its planes as arrays and its timestamp in nanoseconds. */
struct cv4l2_buffer {
    uint32_t index;
    uint32_t flags;
    uint32_t sequence;
    uint32_t planes;
    uint32_t bytesused[3];
    uint32_t length[3];
    uint32_t mem_offset[3];
    uint32_t data_offset[3];
    int fd[3];
    /* Kept to the microsecond. Set for an OUTPUT queue, and returned by the CAPTURE queue. */
    int64_t timestamp_ns;
};

/* The picture of v4l2_format, single- or multi-planar. */
struct cv4l2_picture {
    uint32_t width, height, pixelformat, field;
    uint32_t colorspace, ycbcr_enc, quantization;
    uint32_t planes;
    uint32_t bytesperline[3];
    uint32_t sizeimage[3];
};

struct cv4l2_size {
    uint32_t min_width, min_height, max_width, max_height, step_width, step_height;
};

struct cv4l2_interval {
    uint32_t min_numerator, min_denominator, max_numerator, max_denominator;
};

struct cv4l2_control {
    uint32_t id, type, flags;
    int64_t minimum, maximum, step, default_value;
    char name[32];
};

int cv4l2_querycap(int fd, struct v4l2_capability *out);
int cv4l2_enum_fmt(int fd, uint32_t type, uint32_t index, struct v4l2_fmtdesc *out);
int cv4l2_enum_framesizes(int fd, uint32_t index, uint32_t fourcc, struct cv4l2_size *out);
int cv4l2_enum_frameintervals(
    int fd, uint32_t index, uint32_t fourcc, uint32_t width, uint32_t height,
    struct cv4l2_interval *out);
/* Returns 0 if the device has this input, whatever it is. */
int cv4l2_enum_input(int fd, uint32_t index);
/* Returns 1 if the current input follows what is plugged into it (V4L2_IN_CAP_DV_TIMINGS), 0 if
 * not, -1 if it does not say. */
int cv4l2_input_has_timings(int fd);
/* A source's timings: its size, and the nanoseconds from picture to picture; `raw` is for the
 * kernel. */
struct cv4l2_timings {
    struct v4l2_dv_timings raw;
    uint32_t width, height;
    int64_t interval_ns;
};
/* Reads the timings of the signal: ENOLINK if there is none, ENOLCK and ERANGE for one that is
 * not understood. */
int cv4l2_query_dv_timings(int fd, struct cv4l2_timings *out);
int cv4l2_g_dv_timings(int fd, struct cv4l2_timings *out);
int cv4l2_s_dv_timings(int fd, struct cv4l2_timings *timings);
/* Subscribes to changes of the input's source. */
int cv4l2_subscribe_source_change(int fd);
/* Reads the next event's changes (V4L2_EVENT_SRC_CH_…); ENOENT if there is none. */
int cv4l2_dqevent(int fd, uint32_t *changes);
int cv4l2_g_fmt(int fd, uint32_t type, struct cv4l2_picture *picture);
/* The part of decoded pictures that is seen. */
struct cv4l2_rectangle {
    int32_t left, top;
    uint32_t width, height;
};
int cv4l2_g_compose(int fd, struct cv4l2_rectangle *out);
/* Tells a decoder that no more data comes: it delivers what it has. */
int cv4l2_stop_decoder(int fd);
/* Asks for bytesperline, sizeimage and the colours unless they are 0. */
int cv4l2_s_fmt(int fd, uint32_t type, struct cv4l2_picture *picture);
int cv4l2_s_parm(int fd, uint32_t type, uint32_t *numerator, uint32_t *denominator);
int cv4l2_reqbufs(int fd, uint32_t type, uint32_t memory, uint32_t *count);
int cv4l2_querybuf(
    int fd, uint32_t type, uint32_t memory, uint32_t index, uint32_t planes,
    struct cv4l2_buffer *out);
int cv4l2_qbuf(int fd, uint32_t type, uint32_t memory, const struct cv4l2_buffer *buffer);
int cv4l2_dqbuf(
    int fd, uint32_t type, uint32_t memory, uint32_t planes, struct cv4l2_buffer *out);
/* Returns the exported DMA-BUF's descriptor, or -1. */
int cv4l2_expbuf(int fd, uint32_t type, uint32_t index, uint32_t plane);
int cv4l2_streamon(int fd, uint32_t type);
int cv4l2_streamoff(int fd, uint32_t type);
int cv4l2_query_ext_ctrl(int fd, uint32_t id, struct cv4l2_control *out);
int cv4l2_g_ctrl(int fd, uint32_t id, int64_t *value);
int cv4l2_s_ctrl(int fd, uint32_t id, int64_t value);
/* Reads an item of a menu: its name, or its value if the menu is one of integers. */
int cv4l2_querymenu(int fd, uint32_t id, uint32_t index, char name[32], int64_t *value);

extern const uint32_t cv4l2_capture, cv4l2_capture_mplane, cv4l2_output, cv4l2_output_mplane;
extern const uint32_t cv4l2_memory_mmap, cv4l2_memory_dmabuf;
extern const uint32_t cv4l2_cap_capture, cv4l2_cap_capture_mplane, cv4l2_cap_streaming,
    cv4l2_cap_device_caps, cv4l2_cap_io_mc, cv4l2_cap_m2m, cv4l2_cap_m2m_mplane;
extern const uint32_t cv4l2_flag_error, cv4l2_flag_last, cv4l2_flag_key_frame,
    cv4l2_fwht_key_frame, cv4l2_flag_next_ctrl, cv4l2_flag_disabled;
extern const uint32_t cv4l2_flag_inactive, cv4l2_flag_volatile, cv4l2_flag_read_only;
/* Control identifiers, by name. */
extern const uint32_t cv4l2_brightness, cv4l2_contrast, cv4l2_saturation, cv4l2_sharpness,
    cv4l2_backlight_compensation, cv4l2_auto_white_balance, cv4l2_white_balance_temperature,
    cv4l2_autogain, cv4l2_gain, cv4l2_power_line_frequency, cv4l2_exposure_auto,
    cv4l2_camera_orientation, cv4l2_exposure_absolute, cv4l2_auto_exposure_bias, cv4l2_focus_absolute, cv4l2_focus_auto,
    cv4l2_zoom_absolute, cv4l2_flash_led_mode;
/* Control identifiers of encoders. */
extern const uint32_t cv4l2_video_bitrate, cv4l2_video_gop_size, cv4l2_video_b_frames,
    cv4l2_video_force_key_frame, cv4l2_video_repeat_seq_header, cv4l2_video_header_mode,
    cv4l2_h264_i_period, cv4l2_h264_profile, cv4l2_h264_level, cv4l2_h264_min_qp,
    cv4l2_video_frame_rc;
/* Control identifier of decoders. */
extern const uint32_t cv4l2_min_buffers_for_capture;
/* Values of the header mode, the profile and the level. */
extern const int64_t cv4l2_header_joined, cv4l2_h264_profile_high, cv4l2_h264_level_4_0,
    cv4l2_h264_level_4_2, cv4l2_h264_level_5_1, cv4l2_h264_level_5_2;
/* Types of controls. */
extern const uint32_t cv4l2_type_menu, cv4l2_type_integer_menu;

#endif
