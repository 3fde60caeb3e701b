/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cv4l2.h"

#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

const uint32_t cv4l2_capture = V4L2_BUF_TYPE_VIDEO_CAPTURE;
const uint32_t cv4l2_capture_mplane = V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE;
const uint32_t cv4l2_output = V4L2_BUF_TYPE_VIDEO_OUTPUT;
const uint32_t cv4l2_output_mplane = V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE;
const uint32_t cv4l2_memory_mmap = V4L2_MEMORY_MMAP;
const uint32_t cv4l2_memory_dmabuf = V4L2_MEMORY_DMABUF;
const uint32_t cv4l2_cap_capture = V4L2_CAP_VIDEO_CAPTURE;
const uint32_t cv4l2_cap_capture_mplane = V4L2_CAP_VIDEO_CAPTURE_MPLANE;
const uint32_t cv4l2_cap_streaming = V4L2_CAP_STREAMING;
const uint32_t cv4l2_cap_device_caps = V4L2_CAP_DEVICE_CAPS;
const uint32_t cv4l2_cap_io_mc = V4L2_CAP_IO_MC;
const uint32_t cv4l2_cap_m2m = V4L2_CAP_VIDEO_M2M;
const uint32_t cv4l2_cap_m2m_mplane = V4L2_CAP_VIDEO_M2M_MPLANE;
const uint32_t cv4l2_flag_key_frame = V4L2_BUF_FLAG_KEYFRAME;
const uint32_t cv4l2_fwht_key_frame = V4L2_FWHT_FL_I_FRAME;
const uint32_t cv4l2_flag_error = V4L2_BUF_FLAG_ERROR;
const uint32_t cv4l2_flag_last = V4L2_BUF_FLAG_LAST;
const uint32_t cv4l2_flag_next_ctrl = V4L2_CTRL_FLAG_NEXT_CTRL;
const uint32_t cv4l2_flag_disabled = V4L2_CTRL_FLAG_DISABLED;
const uint32_t cv4l2_flag_inactive = V4L2_CTRL_FLAG_INACTIVE;
const uint32_t cv4l2_flag_read_only = V4L2_CTRL_FLAG_READ_ONLY;
const uint32_t cv4l2_flag_volatile = V4L2_CTRL_FLAG_VOLATILE;
const uint32_t cv4l2_brightness = V4L2_CID_BRIGHTNESS;
const uint32_t cv4l2_contrast = V4L2_CID_CONTRAST;
const uint32_t cv4l2_saturation = V4L2_CID_SATURATION;
const uint32_t cv4l2_sharpness = V4L2_CID_SHARPNESS;
const uint32_t cv4l2_backlight_compensation = V4L2_CID_BACKLIGHT_COMPENSATION;
const uint32_t cv4l2_auto_white_balance = V4L2_CID_AUTO_WHITE_BALANCE;
const uint32_t cv4l2_white_balance_temperature = V4L2_CID_WHITE_BALANCE_TEMPERATURE;
const uint32_t cv4l2_autogain = V4L2_CID_AUTOGAIN;
const uint32_t cv4l2_gain = V4L2_CID_GAIN;
const uint32_t cv4l2_power_line_frequency = V4L2_CID_POWER_LINE_FREQUENCY;
const uint32_t cv4l2_exposure_auto = V4L2_CID_EXPOSURE_AUTO;
const uint32_t cv4l2_exposure_absolute = V4L2_CID_EXPOSURE_ABSOLUTE;
const uint32_t cv4l2_auto_exposure_bias = V4L2_CID_AUTO_EXPOSURE_BIAS;
const uint32_t cv4l2_camera_orientation = V4L2_CID_CAMERA_ORIENTATION;
const uint32_t cv4l2_focus_absolute = V4L2_CID_FOCUS_ABSOLUTE;
const uint32_t cv4l2_focus_auto = V4L2_CID_FOCUS_AUTO;
const uint32_t cv4l2_zoom_absolute = V4L2_CID_ZOOM_ABSOLUTE;
const uint32_t cv4l2_flash_led_mode = V4L2_CID_FLASH_LED_MODE;
const uint32_t cv4l2_video_bitrate = V4L2_CID_MPEG_VIDEO_BITRATE;
const uint32_t cv4l2_video_gop_size = V4L2_CID_MPEG_VIDEO_GOP_SIZE;
const uint32_t cv4l2_video_b_frames = V4L2_CID_MPEG_VIDEO_B_FRAMES;
const uint32_t cv4l2_video_force_key_frame = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
const uint32_t cv4l2_video_repeat_seq_header = V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER;
const uint32_t cv4l2_video_header_mode = V4L2_CID_MPEG_VIDEO_HEADER_MODE;
const uint32_t cv4l2_h264_i_period = V4L2_CID_MPEG_VIDEO_H264_I_PERIOD;
const uint32_t cv4l2_h264_profile = V4L2_CID_MPEG_VIDEO_H264_PROFILE;
const uint32_t cv4l2_h264_level = V4L2_CID_MPEG_VIDEO_H264_LEVEL;
const uint32_t cv4l2_h264_min_qp = V4L2_CID_MPEG_VIDEO_H264_MIN_QP;
const uint32_t cv4l2_video_frame_rc = V4L2_CID_MPEG_VIDEO_FRAME_RC_ENABLE;
const uint32_t cv4l2_min_buffers_for_capture = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE;
const int64_t cv4l2_h264_level_4_0 = V4L2_MPEG_VIDEO_H264_LEVEL_4_0;
const int64_t cv4l2_h264_level_4_2 = V4L2_MPEG_VIDEO_H264_LEVEL_4_2;
const int64_t cv4l2_h264_level_5_1 = V4L2_MPEG_VIDEO_H264_LEVEL_5_1;
const int64_t cv4l2_h264_level_5_2 = V4L2_MPEG_VIDEO_H264_LEVEL_5_2;
const int64_t cv4l2_header_joined = V4L2_MPEG_VIDEO_HEADER_MODE_JOINED_WITH_1ST_FRAME;
const int64_t cv4l2_h264_profile_high = V4L2_MPEG_VIDEO_H264_PROFILE_HIGH;
const uint32_t cv4l2_type_menu = V4L2_CTRL_TYPE_MENU;
const uint32_t cv4l2_type_integer_menu = V4L2_CTRL_TYPE_INTEGER_MENU;

int cv4l2_querycap(int fd, struct v4l2_capability *out) { return ioctl(fd, VIDIOC_QUERYCAP, out); }

int cv4l2_enum_fmt(int fd, uint32_t type, uint32_t index, struct v4l2_fmtdesc *out) {
    memset(out, 0, sizeof *out);
    out->type = type;
    out->index = index;
    return ioctl(fd, VIDIOC_ENUM_FMT, out);
}

int cv4l2_enum_framesizes(int fd, uint32_t index, uint32_t fourcc, struct cv4l2_size *out) {
    struct v4l2_frmsizeenum size = {.index = index, .pixel_format = fourcc};
    if (ioctl(fd, VIDIOC_ENUM_FRAMESIZES, &size)) return -1;
    if (size.type == V4L2_FRMSIZE_TYPE_DISCRETE)
        *out = (struct cv4l2_size){size.discrete.width, size.discrete.height, size.discrete.width,
                                   size.discrete.height, 0, 0};
    else
        *out = (struct cv4l2_size){size.stepwise.min_width, size.stepwise.min_height,
                                   size.stepwise.max_width, size.stepwise.max_height,
                                   size.stepwise.step_width, size.stepwise.step_height};
    return 0;
}

int cv4l2_enum_frameintervals(
    int fd, uint32_t index, uint32_t fourcc, uint32_t width, uint32_t height,
    struct cv4l2_interval *out) {
    struct v4l2_frmivalenum interval = {
        .index = index, .pixel_format = fourcc, .width = width, .height = height};
    if (ioctl(fd, VIDIOC_ENUM_FRAMEINTERVALS, &interval)) return -1;
    struct v4l2_fract min = interval.discrete, max = interval.discrete;
    if (interval.type != V4L2_FRMIVAL_TYPE_DISCRETE) {
        min = interval.stepwise.min;
        max = interval.stepwise.max;
    }
    *out = (struct cv4l2_interval){min.numerator, min.denominator, max.numerator, max.denominator};
    return 0;
}

static void read_format(const struct v4l2_format *format, struct cv4l2_picture *picture) {
    memset(picture, 0, sizeof *picture);
    if (V4L2_TYPE_IS_MULTIPLANAR(format->type)) {
        const struct v4l2_pix_format_mplane *mp = &format->fmt.pix_mp;
        picture->width = mp->width;
        picture->height = mp->height;
        picture->pixelformat = mp->pixelformat;
        picture->field = mp->field;
        picture->colorspace = mp->colorspace;
        picture->ycbcr_enc = mp->ycbcr_enc;
        picture->quantization = mp->quantization;
        picture->planes = mp->num_planes;
        for (uint32_t i = 0; i < mp->num_planes && i < 3; i++) {
            picture->bytesperline[i] = mp->plane_fmt[i].bytesperline;
            picture->sizeimage[i] = mp->plane_fmt[i].sizeimage;
        }
    } else {
        const struct v4l2_pix_format *pix = &format->fmt.pix;
        picture->width = pix->width;
        picture->height = pix->height;
        picture->pixelformat = pix->pixelformat;
        picture->field = pix->field;
        picture->colorspace = pix->colorspace;
        picture->ycbcr_enc = pix->ycbcr_enc;
        picture->quantization = pix->quantization;
        picture->planes = 1;
        picture->bytesperline[0] = pix->bytesperline;
        picture->sizeimage[0] = pix->sizeimage;
    }
}

int cv4l2_enum_input(int fd, uint32_t index) {
    struct v4l2_input input = {.index = index};
    return ioctl(fd, VIDIOC_ENUMINPUT, &input);
}

int cv4l2_input_has_timings(int fd) {
    int index = 0;
    if (ioctl(fd, VIDIOC_G_INPUT, &index)) return -1;
    struct v4l2_input input = {.index = (uint32_t)index};
    if (ioctl(fd, VIDIOC_ENUMINPUT, &input)) return -1;
    return (input.capabilities & V4L2_IN_CAP_DV_TIMINGS) != 0;
}

static void read_timings(struct cv4l2_timings *timings) {
    const struct v4l2_bt_timings *bt = &timings->raw.bt;
    uint64_t width = V4L2_DV_BT_FRAME_WIDTH(bt), height = V4L2_DV_BT_FRAME_HEIGHT(bt);
    timings->width = bt->width;
    timings->height = bt->height;
    timings->interval_ns =
        bt->pixelclock ? (int64_t)(width * height * 1000000000 / bt->pixelclock) : 0;
}

int cv4l2_query_dv_timings(int fd, struct cv4l2_timings *out) {
    memset(out, 0, sizeof *out);
    if (ioctl(fd, VIDIOC_QUERY_DV_TIMINGS, &out->raw)) return -1;
    read_timings(out);
    return 0;
}

int cv4l2_g_dv_timings(int fd, struct cv4l2_timings *out) {
    memset(out, 0, sizeof *out);
    if (ioctl(fd, VIDIOC_G_DV_TIMINGS, &out->raw)) return -1;
    read_timings(out);
    return 0;
}

int cv4l2_s_dv_timings(int fd, struct cv4l2_timings *timings) {
    return ioctl(fd, VIDIOC_S_DV_TIMINGS, &timings->raw);
}

int cv4l2_subscribe_source_change(int fd) {
    struct v4l2_event_subscription subscription = {.type = V4L2_EVENT_SOURCE_CHANGE};
    return ioctl(fd, VIDIOC_SUBSCRIBE_EVENT, &subscription);
}

int cv4l2_dqevent(int fd, uint32_t *changes) {
    struct v4l2_event event;
    memset(&event, 0, sizeof event);
    if (ioctl(fd, VIDIOC_DQEVENT, &event)) return -1;
    *changes = event.type == V4L2_EVENT_SOURCE_CHANGE ? event.u.src_change.changes : 0;
    return 0;
}

int cv4l2_g_fmt(int fd, uint32_t type, struct cv4l2_picture *picture) {
    struct v4l2_format format = {.type = type};
    if (ioctl(fd, VIDIOC_G_FMT, &format)) return -1;
    read_format(&format, picture);
    return 0;
}

int cv4l2_g_compose(int fd, struct cv4l2_rectangle *out) {
    /* The API knows no multi-planar type here. */
    struct v4l2_selection selection = {
        .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .target = V4L2_SEL_TGT_COMPOSE};
    if (ioctl(fd, VIDIOC_G_SELECTION, &selection)) return -1;
    *out = (struct cv4l2_rectangle){
        selection.r.left, selection.r.top, selection.r.width, selection.r.height};
    return 0;
}

int cv4l2_stop_decoder(int fd) {
    struct v4l2_decoder_cmd command = {.cmd = V4L2_DEC_CMD_STOP};
    return ioctl(fd, VIDIOC_DECODER_CMD, &command);
}

int cv4l2_s_fmt(int fd, uint32_t type, struct cv4l2_picture *picture) {
    struct v4l2_format format = {.type = type};
    if (V4L2_TYPE_IS_MULTIPLANAR(type)) {
        format.fmt.pix_mp.width = picture->width;
        format.fmt.pix_mp.height = picture->height;
        format.fmt.pix_mp.pixelformat = picture->pixelformat;
        format.fmt.pix_mp.field = V4L2_FIELD_NONE;
        format.fmt.pix_mp.colorspace = picture->colorspace;
        format.fmt.pix_mp.ycbcr_enc = picture->ycbcr_enc;
        format.fmt.pix_mp.quantization = picture->quantization;
        format.fmt.pix_mp.num_planes = picture->planes;
        for (uint32_t i = 0; i < picture->planes && i < 3; i++) {
            format.fmt.pix_mp.plane_fmt[i].bytesperline = picture->bytesperline[i];
            format.fmt.pix_mp.plane_fmt[i].sizeimage = picture->sizeimage[i];
        }
    } else {
        format.fmt.pix.width = picture->width;
        format.fmt.pix.height = picture->height;
        format.fmt.pix.pixelformat = picture->pixelformat;
        format.fmt.pix.field = V4L2_FIELD_NONE;
        format.fmt.pix.colorspace = picture->colorspace;
        format.fmt.pix.ycbcr_enc = picture->ycbcr_enc;
        format.fmt.pix.quantization = picture->quantization;
        format.fmt.pix.bytesperline = picture->bytesperline[0];
        format.fmt.pix.sizeimage = picture->sizeimage[0];
    }
    if (ioctl(fd, VIDIOC_S_FMT, &format)) return -1;
    read_format(&format, picture);
    return 0;
}

int cv4l2_s_parm(int fd, uint32_t type, uint32_t *numerator, uint32_t *denominator) {
    struct v4l2_streamparm parm = {.type = type};
    parm.parm.capture.timeperframe = (struct v4l2_fract){*numerator, *denominator};
    if (ioctl(fd, VIDIOC_S_PARM, &parm)) return -1;
    *numerator = parm.parm.capture.timeperframe.numerator;
    *denominator = parm.parm.capture.timeperframe.denominator;
    return 0;
}

int cv4l2_reqbufs(int fd, uint32_t type, uint32_t memory, uint32_t *count) {
    struct v4l2_requestbuffers request = {.count = *count, .type = type, .memory = memory};
    if (ioctl(fd, VIDIOC_REQBUFS, &request)) return -1;
    *count = request.count;
    return 0;
}

static void prepare(
    struct v4l2_buffer *buffer, struct v4l2_plane planes[3], uint32_t type, uint32_t memory,
    uint32_t count) {
    memset(buffer, 0, sizeof *buffer);
    memset(planes, 0, 3 * sizeof *planes);
    buffer->type = type;
    buffer->memory = memory;
    if (V4L2_TYPE_IS_MULTIPLANAR(type)) {
        buffer->m.planes = planes;
        buffer->length = count;
    }
}

static void read_buffer(
    const struct v4l2_buffer *buffer, const struct v4l2_plane planes[3], struct cv4l2_buffer *out) {
    out->index = buffer->index;
    out->flags = buffer->flags;
    out->sequence = buffer->sequence;
    /* Unsigned, because a driver may claim a time that does not fit into nanoseconds. */
    out->timestamp_ns = (int64_t)(
        (uint64_t)buffer->timestamp.tv_sec * 1000000000u + (uint64_t)buffer->timestamp.tv_usec * 1000u);
    if (V4L2_TYPE_IS_MULTIPLANAR(buffer->type)) {
        out->planes = buffer->length;
        for (uint32_t i = 0; i < buffer->length && i < 3; i++) {
            out->bytesused[i] = planes[i].bytesused;
            out->length[i] = planes[i].length;
            out->mem_offset[i] = planes[i].m.mem_offset;
            out->data_offset[i] = planes[i].data_offset;
        }
    } else {
        out->planes = 1;
        out->bytesused[0] = buffer->bytesused;
        out->length[0] = buffer->length;
        out->mem_offset[0] = buffer->m.offset;
        out->data_offset[0] = 0;
    }
}

int cv4l2_querybuf(
    int fd, uint32_t type, uint32_t memory, uint32_t index, uint32_t planes,
    struct cv4l2_buffer *out) {
    struct v4l2_buffer buffer;
    struct v4l2_plane plane[3];
    prepare(&buffer, plane, type, memory, planes);
    buffer.index = index;
    if (ioctl(fd, VIDIOC_QUERYBUF, &buffer)) return -1;
    read_buffer(&buffer, plane, out);
    return 0;
}

int cv4l2_qbuf(int fd, uint32_t type, uint32_t memory, const struct cv4l2_buffer *in) {
    struct v4l2_buffer buffer;
    struct v4l2_plane plane[3];
    prepare(&buffer, plane, type, memory, in->planes);
    buffer.index = in->index;
    buffer.timestamp.tv_sec = in->timestamp_ns / 1000000000;
    buffer.timestamp.tv_usec = in->timestamp_ns % 1000000000 / 1000;
    if (V4L2_TYPE_IS_MULTIPLANAR(type)) {
        for (uint32_t i = 0; i < in->planes && i < 3; i++) {
            plane[i].length = in->length[i];
            plane[i].bytesused = in->bytesused[i];
            if (memory == V4L2_MEMORY_DMABUF) plane[i].m.fd = in->fd[i];
        }
    } else {
        buffer.length = in->length[0];
        buffer.bytesused = in->bytesused[0];
        if (memory == V4L2_MEMORY_DMABUF) buffer.m.fd = in->fd[0];
    }
    return ioctl(fd, VIDIOC_QBUF, &buffer);
}

int cv4l2_dqbuf(
    int fd, uint32_t type, uint32_t memory, uint32_t planes, struct cv4l2_buffer *out) {
    struct v4l2_buffer buffer;
    struct v4l2_plane plane[3];
    prepare(&buffer, plane, type, memory, planes);
    if (ioctl(fd, VIDIOC_DQBUF, &buffer)) return -1;
    read_buffer(&buffer, plane, out);
    return 0;
}

int cv4l2_expbuf(int fd, uint32_t type, uint32_t index, uint32_t plane) {
    struct v4l2_exportbuffer request = {
        .type = type, .index = index, .plane = plane, .flags = O_RDWR | O_CLOEXEC};
    return ioctl(fd, VIDIOC_EXPBUF, &request) ? -1 : request.fd;
}

int cv4l2_streamon(int fd, uint32_t type) { return ioctl(fd, VIDIOC_STREAMON, &type); }
int cv4l2_streamoff(int fd, uint32_t type) { return ioctl(fd, VIDIOC_STREAMOFF, &type); }

int cv4l2_query_ext_ctrl(int fd, uint32_t id, struct cv4l2_control *out) {
    struct v4l2_query_ext_ctrl query = {.id = id};
    if (ioctl(fd, VIDIOC_QUERY_EXT_CTRL, &query)) return -1;
    *out = (struct cv4l2_control){
        .id = query.id, .type = query.type, .flags = query.flags, .minimum = query.minimum,
        .maximum = query.maximum, .step = query.step, .default_value = query.default_value};
    memcpy(out->name, query.name, sizeof out->name);
    out->name[sizeof out->name - 1] = 0;
    return 0;
}

static int one_control(int fd, unsigned long request, struct v4l2_ext_control *control) {
    struct v4l2_ext_controls controls = {
        .which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = control};
    return ioctl(fd, request, &controls);
}

int cv4l2_g_ctrl(int fd, uint32_t id, int64_t *value) {
    struct v4l2_ext_control control = {.id = id};
    if (one_control(fd, VIDIOC_G_EXT_CTRLS, &control)) return -1;
    struct v4l2_query_ext_ctrl query = {.id = id};
    if (ioctl(fd, VIDIOC_QUERY_EXT_CTRL, &query)) return -1;
    *value = query.type == V4L2_CTRL_TYPE_INTEGER64 ? control.value64 : control.value;
    return 0;
}

int cv4l2_s_ctrl(int fd, uint32_t id, int64_t value) {
    struct v4l2_query_ext_ctrl query = {.id = id};
    if (ioctl(fd, VIDIOC_QUERY_EXT_CTRL, &query)) return -1;
    struct v4l2_ext_control control = {.id = id};
    if (query.type == V4L2_CTRL_TYPE_INTEGER64) control.value64 = value;
    else control.value = (int32_t)value;
    return one_control(fd, VIDIOC_S_EXT_CTRLS, &control);
}

int cv4l2_querymenu(int fd, uint32_t id, uint32_t index, char name[32], int64_t *value) {
    struct v4l2_querymenu item = {.id = id, .index = index};
    struct v4l2_query_ext_ctrl query = {.id = id};
    if (ioctl(fd, VIDIOC_QUERY_EXT_CTRL, &query) || ioctl(fd, VIDIOC_QUERYMENU, &item)) return -1;
    memset(name, 0, 32);
    *value = index;
    if (query.type == V4L2_CTRL_TYPE_INTEGER_MENU) *value = item.value;
    else memcpy(name, item.name, 31);
    return 0;
}
