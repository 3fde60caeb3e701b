// SPDX-License-Identifier: GPL-3.0-or-later
#include "cexiv2.h"

// Exiv2 0.27 returns images in a std::auto_ptr, which C++17 deprecates.
#pragma clang diagnostic ignored "-Wdeprecated-declarations"
#include <exiv2/exiv2.hpp>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

namespace {

// The XMP toolkit, started for one file only: it remembers the namespaces that it reads, and would
// apply one file's to the next.
struct Toolkit {
    Toolkit() {
        static std::once_flag once;
        std::call_once(once, [] {
            Exiv2::LogMsg::setLevel(Exiv2::LogMsg::mute);
#ifdef EXV_ENABLE_BMFF
            Exiv2::enableBMFF(true);
#endif
        });
        Exiv2::XmpParser::initialize();
    }
    ~Toolkit() { Exiv2::XmpParser::terminate(); }
};

char *copy_of(const std::string &text) { return strndup(text.data(), text.find('\0') == std::string::npos ? text.size() : text.find('\0')); }

bool is_utf8(const std::string &text) {
    for (size_t at = 0; at < text.size();) {
        unsigned char first = text[at];
        size_t more = first < 0x80 ? 0 : (first >> 5) == 6 ? 1 : (first >> 4) == 14 ? 2 : (first >> 3) == 30 ? 3 : 9;
        if (more == 9 || at + more >= text.size() + (more == 0)) return false;
        for (size_t next = 1; next <= more; next++)
            if ((text[at + next] & 0xc0) != 0x80) return false;
        at += more + 1;
    }
    return true;
}

// Converts IPTC-IIM text whose character set is unknown: UTF-8, otherwise Windows-1252, which most
// programs wrote before.
std::string utf8(const std::string &text) {
    if (is_utf8(text)) return text;
    std::string result = text;
    Exiv2::convertStringCharset(result, "WINDOWS-1252", "UTF-8");
    return is_utf8(result) ? result : std::string();
}

std::string text_of(const Exiv2::XmpData &data, const char *key) {
    auto found = data.findKey(Exiv2::XmpKey(key));
    return found == data.end() ? std::string() : found->toString();
}

// Returns the text in the default language, otherwise the first one.
std::string description_of(const Exiv2::XmpData &data) {
    auto found = data.findKey(Exiv2::XmpKey("Xmp.dc.description"));
    if (found == data.end()) return {};
    auto alternatives = dynamic_cast<const Exiv2::LangAltValue *>(&found->value());
    if (!alternatives) return found->toString();
    auto usual = alternatives->value_.find("x-default");
    if (usual != alternatives->value_.end()) return usual->second;
    return alternatives->value_.empty() ? std::string() : alternatives->value_.begin()->second;
}

// Reads "48,12.4906N" or "48,12,29.4N" (XMP, part 2: GPSCoordinate); infinite for anything else.
double degrees_of(const std::string &text) {
    if (text.size() < 3 || text.size() > 64) return INFINITY;
    double parts[3] = {0, 0, 0};
    const char *at = text.c_str();
    int count = 0;
    for (; count < 3; count++) {
        char *end;
        parts[count] = strtod(at, &end);
        if (end == at || !(parts[count] >= 0)) return INFINITY;
        at = end;
        if (*at != ',') break;
        at++;
    }
    if (count > 2 || strlen(at) != 1) return INFINITY;
    double value = parts[0] + parts[1] / 60 + parts[2] / 3600;
    switch (*at) {
    case 'N': case 'n': case 'E': case 'e': return value;
    case 'S': case 's': case 'W': case 'w': return -value;
    default: return INFINITY;
    }
}

void read_place(const Exiv2::XmpData &data, cexiv2_words &words) {
    double latitude = degrees_of(text_of(data, "Xmp.exif.GPSLatitude"));
    double longitude = degrees_of(text_of(data, "Xmp.exif.GPSLongitude"));
    if (!std::isfinite(latitude) || !std::isfinite(longitude)) return;
    words.has_place = true;
    words.latitude = latitude;
    words.longitude = longitude;
    auto altitude = data.findKey(Exiv2::XmpKey("Xmp.exif.GPSAltitude"));
    if (altitude == data.end()) return;
    Exiv2::Rational value = altitude->toRational();
    if (value.second == 0) return;
    words.has_altitude = true;
    words.altitude = double(value.first) / value.second;
    if (text_of(data, "Xmp.exif.GPSAltitudeRef") == "1") words.altitude = -words.altitude;
}

std::string date_of(const Exiv2::XmpData &data) {
    for (auto key : {"Xmp.exif.DateTimeOriginal", "Xmp.photoshop.DateCreated", "Xmp.xmp.CreateDate"}) {
        std::string text = text_of(data, key);
        if (!text.empty()) return text;
    }
    return {};
}

std::string iptc_text(const Exiv2::IptcData &data, const char *key) {
    auto found = data.findKey(Exiv2::IptcKey(key));
    return found == data.end() ? std::string() : utf8(found->toString());
}

void read_words(Exiv2::Image &image, cexiv2_words &words) {
    image.readMetadata();
    const Exiv2::XmpData &xmp = image.xmpData();
    const Exiv2::IptcData &iptc = image.iptcData();
    std::string caption = description_of(xmp), date = date_of(xmp);
    std::vector<std::string> keywords;
    auto subject = xmp.findKey(Exiv2::XmpKey("Xmp.dc.subject"));
    if (subject != xmp.end())
        for (long index = 0; index < long(subject->count()); index++) keywords.push_back(subject->toString(index));
    if (caption.empty()) caption = iptc_text(iptc, "Iptc.Application2.Caption");
    if (keywords.empty())
        for (auto &datum : iptc)
            if (datum.key() == "Iptc.Application2.Keywords") keywords.push_back(utf8(datum.toString()));
    if (date.empty()) {
        date = iptc_text(iptc, "Iptc.Application2.DateCreated");
        std::string time = iptc_text(iptc, "Iptc.Application2.TimeCreated");
        if (!date.empty() && !time.empty()) date += "T" + time;
    }
    auto rating = xmp.findKey(Exiv2::XmpKey("Xmp.xmp.Rating"));
    if (rating != xmp.end()) {
        words.has_rating = true;
        words.rating = atoi(rating->toString().c_str());
    }
    read_place(xmp, words);
    if (!caption.empty()) words.caption = copy_of(caption);
    if (!date.empty()) words.date = copy_of(date);
    auto list = static_cast<const char **>(calloc(keywords.size() + 1, sizeof(char *)));
    words.keywords = list;
    for (auto &keyword : keywords)
        if (list && !keyword.empty()) list[words.keyword_count++] = copy_of(keyword);
}

void set_text(Exiv2::XmpData &data, const char *key, const char *text) {
    auto found = data.findKey(Exiv2::XmpKey(key));
    if (found != data.end()) data.erase(found);
    if (text) data[key] = std::string(text);
}

std::string coordinate(double degrees, char positive, char negative) {
    double size = std::fabs(degrees);
    int whole = int(size);
    char text[64];
    snprintf(text, sizeof text, "%d,%.8f%c", whole, (size - whole) * 60, degrees < 0 ? negative : positive);
    return text;
}

void write_xmp(Exiv2::XmpData &xmp, const cexiv2_words &words) {
    for (auto key : {"Xmp.dc.description", "Xmp.dc.subject", "Xmp.xmp.Rating"}) set_text(xmp, key, nullptr);
    if (words.caption) {
        Exiv2::LangAltValue text;
        text.value_["x-default"] = words.caption;
        xmp.add(Exiv2::XmpKey("Xmp.dc.description"), &text);
    }
    if (words.keyword_count > 0) {
        Exiv2::XmpArrayValue list(Exiv2::xmpBag);
        for (size_t index = 0; index < words.keyword_count; index++) list.read(words.keywords[index]);
        xmp.add(Exiv2::XmpKey("Xmp.dc.subject"), &list);
    }
    if (words.has_rating) set_text(xmp, "Xmp.xmp.Rating", std::to_string(words.rating).c_str());
    if (words.date) {
        set_text(xmp, "Xmp.photoshop.DateCreated", words.date);
        set_text(xmp, "Xmp.exif.DateTimeOriginal", words.date);
    }
    if (!words.has_place) return;
    set_text(xmp, "Xmp.exif.GPSLatitude", coordinate(words.latitude, 'N', 'S').c_str());
    set_text(xmp, "Xmp.exif.GPSLongitude", coordinate(words.longitude, 'E', 'W').c_str());
    set_text(xmp, "Xmp.exif.GPSAltitude", nullptr);
    set_text(xmp, "Xmp.exif.GPSAltitudeRef", nullptr);
    if (!words.has_altitude) return;
    set_text(xmp, "Xmp.exif.GPSAltitudeRef", words.altitude < 0 ? "1" : "0");
    set_text(xmp, "Xmp.exif.GPSAltitude", (std::to_string(std::lround(std::fabs(words.altitude) * 1000)) + "/1000").c_str());
}

void write_iptc(Exiv2::IptcData &iptc, const cexiv2_words &words) {
    const uint16_t record = Exiv2::IptcDataSets::application2;
    for (auto at = iptc.begin(); at != iptc.end();) {
        bool is_ours = at->record() == record &&
            (at->tag() == Exiv2::IptcDataSets::Caption || at->tag() == Exiv2::IptcDataSets::Keywords);
        at = is_ours ? iptc.erase(at) : at + 1;
    }
    // The other data sets become UTF-8, too: the character set below applies to all.
    const char *charset = iptc.detectCharset();
    if (!charset)
        for (auto &datum : iptc) {
            if (datum.record() != record || datum.typeId() != Exiv2::string) continue;
            Exiv2::StringValue text(utf8(datum.toString()));
            datum.setValue(&text);
        }
    iptc["Iptc.Envelope.CharacterSet"] = std::string("\033%G");
    auto add = [&](uint16_t tag, std::string text, size_t most) {
        while (text.size() > most) text.resize(most);
        while (!is_utf8(text)) text.pop_back();
        Exiv2::StringValue value(text);
        iptc.add(Exiv2::IptcKey(tag, record), &value);
    };
    // The most bytes that the standard allows.
    if (words.caption) add(Exiv2::IptcDataSets::Caption, words.caption, 2000);
    for (size_t index = 0; index < words.keyword_count; index++)
        add(Exiv2::IptcDataSets::Keywords, words.keywords[index], 64);
}

uint8_t *bytes_of(const uint8_t *start, size_t size, size_t *count) {
    auto copy = static_cast<uint8_t *>(malloc(size > 0 ? size : 1));
    if (copy) memcpy(copy, start, size);
    *count = copy ? size : 0;
    return copy;
}

} // namespace

struct cexiv2_words *cexiv2_read(const uint8_t *file, size_t size) {
    auto words = static_cast<cexiv2_words *>(calloc(1, sizeof(cexiv2_words)));
    if (!words) return nullptr;
    try {
        Toolkit toolkit;
        auto image = Exiv2::ImageFactory::open(file, long(size));
        if (!image.get()) throw std::bad_alloc();
        read_words(*image, *words);
        return words;
    } catch (...) {
        cexiv2_free_words(words);
        return nullptr;
    }
}

void cexiv2_free_words(struct cexiv2_words *words) {
    if (!words) return;
    free(const_cast<char *>(words->caption));
    free(const_cast<char *>(words->date));
    for (size_t index = 0; index < words->keyword_count; index++) free(const_cast<char *>(words->keywords[index]));
    free(const_cast<char **>(words->keywords));
    free(words);
}

uint8_t *cexiv2_write(
    const uint8_t *file, size_t size, const struct cexiv2_words *words, size_t *count, char *reason, size_t room) {
    try {
        Toolkit toolkit;
        if (size == 0) {
            Exiv2::XmpData xmp;
            std::string packet;
            write_xmp(xmp, *words);
            if (Exiv2::XmpParser::encode(packet, xmp, Exiv2::XmpParser::useCompactFormat | Exiv2::XmpParser::omitPacketWrapper) != 0)
                throw std::runtime_error("XMP cannot be written");
            packet = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + packet + "\n";
            return bytes_of(reinterpret_cast<const uint8_t *>(packet.data()), packet.size(), count);
        }
        auto image = Exiv2::ImageFactory::open(file, long(size));
        if (!image.get()) throw std::bad_alloc();
        image->readMetadata();
        write_xmp(image->xmpData(), *words);
        if (!image->iptcData().empty()) write_iptc(image->iptcData(), *words);
        image->writeMetadata();
        Exiv2::BasicIo &io = image->io();
        if (io.open() != 0) throw std::runtime_error("the file made cannot be read");
        Exiv2::byte *start = io.mmap();
        uint8_t *result = bytes_of(start, io.size(), count);
        io.munmap();
        return result;
    } catch (const std::exception &error) {
        snprintf(reason, room, "%s", error.what());
    } catch (...) {
        snprintf(reason, room, "unknown");
    }
    return nullptr;
}
