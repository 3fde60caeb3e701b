// SPDX-License-Identifier: GPL-3.0-or-later
// libcamera behind the functions of clibcamera.h. Compiled against the headers of each system's libcamera.
#include "clibcamera.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <sys/eventfd.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <vector>

#include <libcamera/libcamera.h>

namespace lc = libcamera;

namespace {

// One in a process. It is never destroyed: its thread may be in a driver that does not return.
lc::CameraManager *manager;

constexpr lc::StreamRole roles[] = {
    lc::StreamRole::Raw, lc::StreamRole::StillCapture, lc::StreamRole::VideoRecording, lc::StreamRole::Viewfinder};

template <size_t size> void copy(char (&room)[size], const std::string &text) {
    room[text.copy(room, size - 1)] = 0;
}

// MARK: values

template <typename Number> void appendNumbers(clibcamera_value &value, const lc::ControlValue &given) {
    auto bytes = given.data();
    while (value.count < 4 && (value.count + 1) * sizeof(Number) <= bytes.size()) {
        Number number;
        memcpy(&number, bytes.data() + value.count * sizeof number, sizeof number);
        value.numbers[value.count++] = static_cast<double>(number);
    }
}

clibcamera_value numbers(const lc::ControlValue &given) {
    clibcamera_value value = {};
    switch (given.type()) {
    case lc::ControlTypeBool: appendNumbers<bool>(value, given); break;
    case lc::ControlTypeByte: appendNumbers<uint8_t>(value, given); break;
    case lc::ControlTypeInteger32: appendNumbers<int32_t>(value, given); break;
    case lc::ControlTypeInteger64: appendNumbers<int64_t>(value, given); break;
    case lc::ControlTypeFloat: appendNumbers<float>(value, given); break;
    case lc::ControlTypeRectangle: {
        if (given.isArray()) break;
        auto area = given.get<lc::Rectangle>();
        value = {4, {double(area.x), double(area.y), double(area.width), double(area.height)}};
        break;
    }
    default: break;
    }
    return value;
}

template <typename Number> lc::ControlValue listed(const clibcamera_value &value) {
    Number list[4];
    for (unsigned i = 0; i < value.count; i++) list[i] = static_cast<Number>(value.numbers[i]);
    if (value.count == 1) return lc::ControlValue(list[0]);
    return lc::ControlValue(lc::Span<const Number>(list, value.count));
}

lc::ControlValue controlValue(lc::ControlType type, const clibcamera_value &value) {
    if (value.count < 1 || value.count > 4) return {};
    switch (type) {
    case lc::ControlTypeBool: return lc::ControlValue(value.numbers[0] != 0);
    case lc::ControlTypeByte: return listed<uint8_t>(value);
    case lc::ControlTypeInteger32: return listed<int32_t>(value);
    case lc::ControlTypeInteger64: return listed<int64_t>(value);
    case lc::ControlTypeFloat: return listed<float>(value);
    case lc::ControlTypeRectangle:
        if (value.count != 4) return {};
        return lc::ControlValue(lc::Rectangle(
            int(value.numbers[0]), int(value.numbers[1]), unsigned(value.numbers[2]), unsigned(value.numbers[3])));
    default: return {};
    }
}

} // namespace

// MARK: a camera

struct clibcamera_camera {
    std::shared_ptr<lc::Camera> camera;
    // Counts what `take` can return.
    int ready = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
    bool isAcquired = false;
    std::unique_ptr<lc::CameraConfiguration> configuration;
    std::unique_ptr<lc::FrameBufferAllocator> allocator;
    // The memory of each stream, by slots. What the allocator has made belongs to it.
    std::vector<lc::FrameBuffer *> frames[clibcamera_streams];
    std::vector<std::unique_ptr<lc::FrameBuffer>> imported;
    std::vector<std::unique_ptr<lc::Request>> requests;
    // The slots that the camera gets next: when it starts, or has less than it can hold.
    unsigned waiting[clibcamera_slots] = {}, firstWaiting = 0, waitingCount = 0;
    unsigned held = 0;

    // libcamera's thread shares what follows.
    std::mutex lock;
    unsigned done[clibcamera_slots] = {}, first = 0, count = 0;
    bool isRunning = false, isGone = false;
    // The settings of the next request, and all of them.
    lc::ControlList changes, settings;
    // A camera that is set up describes its controls anew.
    std::mutex describing;

    explicit clibcamera_camera(std::shared_ptr<lc::Camera> camera)
        : camera(camera), changes(camera->controls()), settings(camera->controls()) {
        camera->requestCompleted.connect(this, &clibcamera_camera::completed);
        camera->disconnected.connect(this, &clibcamera_camera::disconnected);
    }

    ~clibcamera_camera() {
        stop();
        camera->requestCompleted.disconnect(this);
        camera->disconnected.disconnect(this);
        free();
        if (isAcquired) camera->release();
        ::close(ready);
    }

    // On libcamera's thread: hands over the slot, and nothing else.
    void completed(lc::Request *request) {
        std::lock_guard guard(lock);
        if (request->status() == lc::Request::RequestCancelled && !isRunning) return;
        done[(first + count++) % clibcamera_slots] = unsigned(request->cookie());
        signal();
    }

    void disconnected() {
        std::lock_guard guard(lock);
        isGone = true;
        signal();
    }

    void signal() const {
        uint64_t one = 1;
        // A full counter is readable, too.
        if (write(ready, &one, sizeof one) < 0) return;
    }

    bool takeSignal() const {
        uint64_t one;
        return read(ready, &one, sizeof one) == sizeof one;
    }

    void free() {
        requests.clear();
        imported.clear();
        for (auto &list : frames) list.clear();
        allocator.reset();
    }

    int stop() {
        {
            std::lock_guard guard(lock);
            isRunning = false;
        }
        // Requests that are under way are cancelled before it returns.
        int result = camera->stop();
        std::lock_guard guard(lock);
        while (takeSignal()) {}
        if (isGone) signal();
        first = count = firstWaiting = waitingCount = held = 0;
        return result;
    }

    int prepareRequests() {
        size_t slots = clibcamera_slots;
        for (unsigned i = 0; i < configuration->size(); i++) slots = std::min(slots, frames[i].size());
        for (size_t slot = requests.size(); slot < slots; slot++) {
            auto request = camera->createRequest(slot);
            if (!request) return -ENOMEM;
            for (unsigned i = 0; i < configuration->size(); i++) {
                int result = request->addBuffer(configuration->at(i).stream(), frames[i][slot]);
                if (result < 0) return result;
            }
            requests.push_back(std::move(request));
        }
        return 0;
    }

    int give(unsigned slot) {
        auto &request = *requests[slot];
        if (request.status() != lc::Request::RequestPending) request.reuse(lc::Request::ReuseBuffers);
        {
            std::lock_guard guard(lock);
            if (!changes.empty()) {
                request.controls().merge(changes);
                changes.clear();
            }
        }
        return camera->queueRequest(&request);
    }

    // Gives the camera what waits, as far as it can hold it.
    int feed() {
        while (waitingCount > 0 && held < configuration->at(0).bufferCount) {
            int result = give(waiting[firstWaiting]);
            if (result < 0) return result;
            firstWaiting = (firstWaiting + 1) % clibcamera_slots;
            waitingCount--;
            held++;
        }
        return 0;
    }
};

namespace {

// MARK: cameras

int start() {
    if (manager) return 0;
    auto made = std::make_unique<lc::CameraManager>();
    int result = made->start();
    if (result == 0) manager = made.release();
    return result;
}

size_t list(clibcamera_listed *room, size_t size) {
    auto cameras = manager->cameras();
    for (size_t i = 0; i < std::min(size, cameras.size()); i++) {
        const auto &properties = cameras[i]->properties();
        auto model = properties.get(lc::properties::Model);
        room[i] = {};
        copy(room[i].id, cameras[i]->id());
        copy(room[i].model, model ? std::string(*model) : cameras[i]->id());
        room[i].location = properties.get(lc::properties::Location).value_or(-1);
        room[i].rotation = properties.get(lc::properties::Rotation).value_or(-1);
        auto devices = properties.get(lc::properties::SystemDevices);
        if (devices && devices->size() > 0) {
            room[i].device_major = major(dev_t((*devices)[0]));
            room[i].device_minor = minor(dev_t((*devices)[0]));
        }
    }
    return cameras.size();
}

clibcamera_camera *open(const char *id) {
    auto camera = manager->get(id);
    return camera ? new clibcamera_camera(camera) : nullptr;
}

int descriptor(clibcamera_camera *camera) { return camera->ready; }

void close(clibcamera_camera *camera) { delete camera; }

int acquire(clibcamera_camera *camera) {
    if (camera->isAcquired) return 0;
    int result = camera->camera->acquire();
    camera->isAcquired = result == 0;
    return result;
}

size_t formats(clibcamera_camera *camera, clibcamera_role role, clibcamera_format *room, size_t size) {
    auto configuration = camera->camera->generateConfiguration({roles[role]});
    if (!configuration || configuration->empty()) return 0;
    size_t count = 0;
    auto add = [&](lc::PixelFormat format, const lc::SizeRange &sizes) {
        if (count < size)
            room[count] = {
                format.fourcc(), format.modifier(), sizes.min.width, sizes.min.height,
                sizes.max.width, sizes.max.height, sizes.hStep, sizes.vStep};
        count++;
    };
    const auto &stream = configuration->at(0);
    const auto &offered = stream.formats();
    for (const auto &format : offered.pixelformats()) {
        auto range = offered.range(format);
        // A range of single sizes has no steps.
        if (range.min != range.max && range.hStep > 0) {
            add(format, range);
            continue;
        }
        for (const auto &one : offered.sizes(format)) add(format, lc::SizeRange(one));
    }
    if (count == 0) add(stream.pixelFormat, lc::SizeRange(stream.size));
    return count;
}

// MARK: streams

int configure(clibcamera_camera *camera, clibcamera_stream *streams, unsigned count) {
    if (count < 1 || count > clibcamera_streams) return -EINVAL;
    camera->free();
    std::vector<lc::StreamRole> wanted;
    for (unsigned i = 0; i < count; i++) wanted.push_back(roles[streams[i].role]);
    auto configuration = camera->camera->generateConfiguration(wanted);
    if (!configuration || configuration->size() != count) return -EINVAL;
    for (unsigned i = 0; i < count; i++) {
        auto &stream = configuration->at(i);
        stream.pixelFormat = lc::PixelFormat(streams[i].fourcc, streams[i].modifier);
        stream.size = {streams[i].width, streams[i].height};
        if (streams[i].buffers) stream.bufferCount = streams[i].buffers;
    }
    if (configuration->validate() == lc::CameraConfiguration::Invalid) return -EINVAL;
    {
        std::lock_guard guard(camera->describing);
        int result = camera->camera->configure(configuration.get());
        if (result < 0) return result;
    }
    for (unsigned i = 0; i < count; i++) {
        const auto &stream = configuration->at(i);
        auto &granted = streams[i];
        granted.fourcc = stream.pixelFormat.fourcc();
        granted.modifier = stream.pixelFormat.modifier();
        granted.width = stream.size.width;
        granted.height = stream.size.height;
        granted.buffers = stream.bufferCount;
        granted.stride = stream.stride;
        granted.frame_size = stream.frameSize;
        granted.matrix = clibcamera_no_matrix;
        granted.is_full_range = 0;
        if (!stream.colorSpace) continue;
        granted.is_full_range = stream.colorSpace->range == lc::ColorSpace::Range::Full;
        switch (stream.colorSpace->ycbcrEncoding) {
        case lc::ColorSpace::YcbcrEncoding::None: break;
        case lc::ColorSpace::YcbcrEncoding::Rec601: granted.matrix = clibcamera_rec601; break;
        case lc::ColorSpace::YcbcrEncoding::Rec709: granted.matrix = clibcamera_rec709; break;
        case lc::ColorSpace::YcbcrEncoding::Rec2020: granted.matrix = clibcamera_rec2020; break;
        }
    }
    camera->configuration = std::move(configuration);
    return 0;
}

int allocate(clibcamera_camera *camera, unsigned number) {
    if (!camera->configuration || number >= camera->configuration->size()) return -EINVAL;
    auto *stream = camera->configuration->at(number).stream();
    if (!camera->allocator) camera->allocator = std::make_unique<lc::FrameBufferAllocator>(camera->camera);
    int result = camera->allocator->allocate(stream);
    if (result < 0) return result;
    auto &frames = camera->frames[number];
    frames.clear();
    for (const auto &frame : camera->allocator->buffers(stream)) frames.push_back(frame.get());
    return int(frames.size());
}

unsigned planes(clibcamera_camera *camera, unsigned stream, unsigned slot, clibcamera_plane *room) {
    unsigned count = 0;
    if (stream >= clibcamera_streams || slot >= camera->frames[stream].size()) return 0;
    for (const auto &plane : camera->frames[stream][slot]->planes()) {
        if (count < clibcamera_planes) room[count++] = {plane.fd.get(), plane.offset, plane.length};
    }
    return count;
}

int import(
    clibcamera_camera *camera, unsigned stream, unsigned slot, const clibcamera_plane *planes, unsigned count) {
    if (stream >= clibcamera_streams || slot != camera->frames[stream].size() || slot >= clibcamera_slots)
        return -EINVAL;
    std::vector<lc::FrameBuffer::Plane> list(count);
    for (unsigned i = 0; i < count; i++) {
        list[i].fd = lc::SharedFD(planes[i].descriptor);
        list[i].offset = planes[i].offset;
        list[i].length = planes[i].length;
    }
    camera->imported.push_back(std::make_unique<lc::FrameBuffer>(list));
    camera->frames[stream].push_back(camera->imported.back().get());
    return 0;
}

// MARK: frames

int queue(clibcamera_camera *camera, unsigned slot) {
    if (!camera->configuration) return -EINVAL;
    int result = camera->prepareRequests();
    if (result < 0) return result;
    if (slot >= camera->requests.size() || camera->waitingCount == clibcamera_slots) return -EINVAL;
    camera->waiting[(camera->firstWaiting + camera->waitingCount++) % clibcamera_slots] = slot;
    return camera->isRunning ? camera->feed() : 0;
}

int run(clibcamera_camera *camera) {
    lc::ControlList settings;
    {
        std::lock_guard guard(camera->lock);
        settings = camera->settings;
        camera->changes.clear();
        camera->isRunning = true;
    }
    int result = camera->camera->start(&settings);
    if (result == 0) result = camera->feed();
    if (result < 0) camera->stop();
    return result;
}

int stop(clibcamera_camera *camera) { return camera->stop(); }

int take(clibcamera_camera *camera, clibcamera_frame *frame) {
    unsigned slot;
    {
        std::lock_guard guard(camera->lock);
        if (camera->count == 0) return camera->isGone ? -ENODEV : 0;
        camera->takeSignal();
        slot = camera->done[camera->first];
        camera->first = (camera->first + 1) % clibcamera_slots;
        camera->count--;
        camera->held--;
    }
    int result = camera->feed();
    if (result < 0) return result;
    auto &request = *camera->requests[slot];
    const auto &metadata = request.metadata();
    *frame = {};
    frame->slot = slot;
    frame->is_damaged = request.status() != lc::Request::RequestComplete;
    for (unsigned i = 0; i < camera->configuration->size(); i++) {
        const auto &buffer = camera->frames[i][slot]->metadata();
        if (buffer.status == lc::FrameMetadata::FrameError) frame->is_damaged = 1;
        for (const auto &plane : buffer.planes()) frame->bytes_used[i] += plane.bytesused;
        if (i > 0) continue;
        frame->sequence = buffer.sequence;
        frame->timestamp = int64_t(buffer.timestamp);
    }
    frame->sensor_timestamp = metadata.get(lc::controls::SensorTimestamp).value_or(0);
    frame->exposure = int64_t(metadata.get(lc::controls::ExposureTime).value_or(0)) * 1000;
    frame->analogue_gain = metadata.get(lc::controls::AnalogueGain).value_or(0);
    frame->digital_gain = metadata.get(lc::controls::DigitalGain).value_or(0);
    return 1;
}

// MARK: controls

int control(clibcamera_camera *camera, unsigned index, clibcamera_control *room) {
    std::lock_guard guard(camera->describing);
    for (const auto &[identifier, info] : camera->camera->controls()) {
        if (index-- > 0) continue;
        *room = {};
        copy(room->name, identifier->name());
        room->lowest = numbers(info.min());
        room->highest = numbers(info.max());
        room->standard = numbers(info.def());
        for (const auto &choice : info.values()) {
            if (room->choices < 16) room->choice[room->choices++] = numbers(choice).numbers[0];
        }
        return 1;
    }
    return 0;
}

int set(clibcamera_camera *camera, const char *name, const clibcamera_value *value) {
    std::lock_guard guard(camera->describing);
    for (const auto &[identifier, info] : camera->camera->controls()) {
        if (identifier->name() != name) continue;
        auto given = controlValue(identifier->type(), *value);
        if (given.isNone()) return -EINVAL;
        std::lock_guard sharing(camera->lock);
        camera->changes.set(identifier->id(), given);
        camera->settings.set(identifier->id(), given);
        return 0;
    }
    return -ENOTTY;
}

std::string versionText;

} // namespace

__attribute__((visibility("default"))) const clibcamera_functions *vitrine_libcamera() {
    versionText = lc::CameraManager::version();
    static const clibcamera_functions functions = {
        sizeof functions, versionText.c_str(), start, list, open, close, descriptor, acquire, formats, configure, allocate,
        planes, import, queue, run, stop, take, control, set};
    return &functions;
}
