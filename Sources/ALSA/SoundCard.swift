// SPDX-License-Identifier: GPL-3.0-or-later

internal import CALSA
internal import Glibc

/// A sound device that records or plays.
public struct SoundCard: Sendable, Hashable {
    /// The identifier of card and device, such as `Loopback,1`. It is valid while the device is
    /// plugged in, and usually the same when it returns.
    public let id: String
    /// The card's own name.
    public let name: String
    /// The device file, which a program that uses it has open.
    public let path: String

    /// The devices present now that record, in the kernel's order.
    public static var all: [SoundCard] { devices(SND_PCM_STREAM_CAPTURE) }

    /// The devices present now that play, in the kernel's order.
    public static var playing: [SoundCard] { devices(SND_PCM_STREAM_PLAYBACK) }

    private static func devices(_ direction: snd_pcm_stream_t) -> [SoundCard] {
        var cards: [SoundCard] = []
        var card: CInt = -1
        while unsafe snd_card_next(&card) == 0, card >= 0 {
            cards += devices(of: card, direction)
        }
        return cards
    }

    private static func devices(
        of card: CInt, _ direction: snd_pcm_stream_t
    ) -> [SoundCard] {
        var control: OpaquePointer?
        guard unsafe snd_ctl_open(&control, "hw:\(card)", 0) == 0, let control = unsafe control
        else { return [] }
        defer { unsafe snd_ctl_close(control) }
        var information: OpaquePointer?
        unsafe snd_ctl_card_info_malloc(&information)
        defer { unsafe snd_ctl_card_info_free(information) }
        var stream: OpaquePointer?
        unsafe snd_pcm_info_malloc(&stream)
        defer { unsafe snd_pcm_info_free(stream) }
        guard unsafe snd_ctl_card_info(control, information) == 0,
            let id = unsafe snd_ctl_card_info_get_id(information).map({ unsafe String(cString: $0) }
            ),
            let name = unsafe snd_ctl_card_info_get_name(information).map({
                unsafe String(cString: $0)
            })
        else { return [] }
        var devices: [SoundCard] = []
        var device: CInt = -1
        while unsafe snd_ctl_pcm_next_device(control, &device) == 0, device >= 0 {
            unsafe snd_pcm_info_set_device(stream, UInt32(device))
            unsafe snd_pcm_info_set_subdevice(stream, 0)
            unsafe snd_pcm_info_set_stream(stream, direction)
            guard unsafe snd_ctl_pcm_info(control, stream) == 0 else { continue }
            let end = direction == SND_PCM_STREAM_CAPTURE ? "c" : "p"
            devices.append(
                SoundCard(
                    id: "\(id),\(device)", name: name,
                    path: "/dev/snd/pcmC\(card)D\(device)\(end)"))
        }
        return devices
    }
}
