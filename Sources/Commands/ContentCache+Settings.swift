// SPDX-License-Identifier: GPL-3.0-or-later

internal import Cache
internal import CommandProtocol
internal import Hashing
internal import Network
internal import Settings

extension HTTPClient.Configuration {
    init(_ settings: CacheSettings) {
        self.init()
        transfers = settings.downloads
        proxy = settings.proxy
        certificates = settings.certificates
        stallSeconds = settings.stallSeconds
        userAgent = "vitrine/\(Vitrine.version)"
    }
}

extension CacheSettings {
    /// The most bytes of all files.
    var quota: Int { quotaMegabytes * 1_000_000 }
}

extension ContentService.Configuration {
    init(_ settings: Settings) {
        self.init(
            folder: settings.cache.path, quota: settings.cache.quota,
            http: HTTPClient.Configuration(settings.cache),
            items: settings.contents.filter { !$0.url.isEmpty }.map { content in
                ContentService.Item(
                    url: content.url, lifetime: Double(content.lifetimeSeconds),
                    expectation: Expectation(content))
            })
    }
}

extension Expectation {
    init(_ content: ContentSettings) {
        self.init()
        isPicture = content.kind != .file
        sha256 = content.sha256.flatMap(Expectation.hash)
    }

    /// Returns the bytes of 64 hexadecimal digits; `nil` for another text.
    static func hash(_ text: String) -> [UInt8]? {
        [UInt8](hexadecimal: text).flatMap { $0.count == 32 ? $0 : nil }
    }
}

extension CommandError {
    init(_ error: ContentError) {
        let exit: ExitStatus =
            switch error.code {
            case .invalidURL: .usage
            case .permission: .notPermitted
            case .tooLarge, .cancelled: .temporary
            case .unavailable: .unavailable
            default: .io
            }
        self.init("cache.\(error.code.rawValue)", error.message, next: error.next, exit: exit)
    }
}
