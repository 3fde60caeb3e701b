// SPDX-License-Identifier: GPL-3.0-or-later

internal import Hashing
internal import LinuxIO
internal import Network
internal import Store

/// The downloads of a cache: one for each URL, of all processes.
extension ContentCache {
    /// The time between two looks at a download of another process.
    private static let patience = Duration.milliseconds(200)

    func download(
        _ request: Request
    ) async throws(ContentError) -> (CachedItem, ContentResult.Source) {
        let began = now()
        let file = try await claim(request, since: began)
        switch consume file {
        case .another(let item): return (item, .network)
        case .ours(let file): return try await download(request, into: file, since: began)
        }
    }

    private enum Claim: ~Copyable {
        case ours(GrowingFile)
        /// Another process has fetched the item meanwhile.
        case another(CachedItem)
    }

    /// Takes the unfinished file of a URL. Waits while another process downloads it, which ends a
    /// download that stalls, unless somebody has stopped the process.
    private func claim(
        _ request: Request, since began: ContentMoment
    ) async throws(ContentError) -> Claim {
        let path = "\(folder)/incoming/\(request.url.name)"
        let limit = 3 * Int64(client.configuration.stallSeconds) * 1_000_000_000
        var (seen, seenAt): (FileTree.Entry?, Int64) = (nil, Clock.boot)
        while true {
            do {
                if let file = try GrowingFile.claim(path) {
                    guard let item = try published(request, since: began) else {
                        return .ours(file)
                    }
                    // The former owner has published what it had.
                    try FileTree.remove(path)
                    return .another(item)
                }
            } catch {
                throw ContentError(naming: error)
            }
            do {
                try await Task.sleep(for: Self.patience)
            } catch {
                throw ContentError(.cancelled, "\(request.url): cancelled", next: "Try again")
            }
            if let item = try renewed(request, since: began) { return .another(item) }
            let file = try? FileTree.entry(path)
            if file != seen { (seen, seenAt) = (file, Clock.boot) }
            guard Clock.boot - seenAt < limit else {
                throw ContentError(
                    .stalled, "\(request.url): another process downloads it and does not go on",
                    next: "End that process, which fuser names: fuser -v \(path)")
            }
        }
    }

    /// Returns an item that another process has fetched meanwhile.
    private func renewed(
        _ request: Request, since began: ContentMoment
    ) throws(ContentError) -> CachedItem? {
        guard let item = try complete(request.url)?.item,
            let age = item.renewed.seconds(since: began), age > 0
        else { return nil }
        return item
    }

    /// Returns an item that another process has fetched meanwhile, also if it is publishing it.
    private func published(
        _ request: Request, since began: ContentMoment
    ) throws(ContentError) -> CachedItem? {
        try ContentError.naming { try index.waitForPublishers() }
        return try renewed(request, since: began)
    }

    private func download(
        _ request: Request, into file: consuming GrowingFile, since began: ContentMoment
    ) async throws(ContentError) -> (CachedItem, ContentResult.Source) {
        let url = request.url
        let known = try accepted(complete(url), request.expectation)
        var part = try ContentError.naming { try index.part(url) }
        if let row = part, row.bytes > file.bytes || row.bytes == 0 {
            try ContentError.naming { try index.removePart(url.text) }
            part = nil
        }
        var file = file
        do throws(SystemCallError) {
            // The bytes behind may not have been on the medium when the power failed.
            try file.shorten(to: part?.bytes ?? 0)
        } catch {
            throw ContentError(naming: error)
        }
        var http = HTTPRequest(url.text)
        if let part {
            http.headers = [
                ("Range", "bytes=\(part.bytes)-"), ("If-Range", part.validator),
            ]
            http.allowsEncoding = false
        } else if let known {
            if let etag = known.item.etag { http.headers.append(("If-None-Match", etag)) }
            if let changed = known.item.lastModified {
                http.headers.append(("If-Modified-Since", changed))
            }
        }
        let download = ContentDownload(
            url, file: file, index: index,
            limits: ContentDownload.Limits(bytes: quota, expectation: request.expectation),
            continuing: part, progress: progress)
        var keepsPart = true
        do {
            let response = try await client.send(http, to: download)
            // A server that cannot satisfy the range has another content now.
            keepsPart = response.status != 416
            switch response.status {
            case 304:
                download.abandon(keepsPart: false)
                guard let known, part == nil else { throw status(response, url) }
                return (try renew(known.item, response, request), .renewed)
            case 200..<300 where response.status != 206 || part != nil:
                return (try publish(download, response, request, since: began), .network)
            default:
                throw status(response, url)
            }
        } catch {
            let error = ContentError(naming: error)
            // A full disk needs the room; what is unexpected is no beginning of anything.
            let isUseless: Set<ContentError.Code> = [
                .disk, .unexpected, .tooLarge, .notStorable, .index,
            ]
            download.abandon(keepsPart: keepsPart && !isUseless.contains(error.code))
            throw error
        }
    }

    private func status(_ response: HTTPResponse, _ url: ContentURL) -> ContentError {
        let next =
            switch response.status {
            case 401, 403, 407: "Check the permissions of the URL"
            case 404, 410: "Check the URL"
            default: "Try again later; see whether the server works"
            }
        return ContentError(.status, "\(url): the server answers \(response.status)", next: next)
    }

    private func renew(
        _ item: CachedItem, _ response: HTTPResponse, _ request: Request
    ) throws(ContentError) -> CachedItem {
        // An answer without rules leaves those of the stored one (RFC 9111, section 3.2).
        let hasRules = response["Cache-Control"] != nil || response["Expires"] != nil
        let control = hasRules ? CacheControl(response) : item.control
        let lifetime = hasRules || item.hasOwnLifetime ? control.lifetime : item.lifetime
        let renewed = try ContentError.naming {
            try index.renew(
                item, at: now(), lifetime: request.lifetime ?? lifetime,
                isOwn: request.lifetime != nil, control: control)
                ? try index.item(item.url) : nil
        }
        guard let renewed else {
            throw ContentError(.broken, "\(item.url): purged meanwhile", next: "Try again")
        }
        return renewed
    }

    private func publish(
        _ download: ContentDownload, _ response: HTTPResponse, _ request: Request,
        since began: ContentMoment
    ) throws(ContentError) -> CachedItem {
        let control = CacheControl(response)
        guard control.isStorable || request.lifetime != nil else {
            throw ContentError(
                .notStorable, "\(request.url): the server forbids that it is stored (no-store)",
                next: "Give a lifetime, which overrides the server's rules")
        }
        do {
            let complete = try download.finish()
            let (bytes, hash) = (complete.file.bytes, complete.sha256)
            let name =
                "items/\(request.url.name)-\(String(UInt64.random(in: 0 ... .max), radix: 16))"
            let old = try index.item(request.url)
            let ended = now()
            let item = CachedItem(
                url: request.url, file: name, bytes: bytes, sha256: hash,
                contentType: response["Content-Type"], etag: response["ETag"],
                lastModified: response["Last-Modified"], downloadStarted: began.wall,
                downloadEnded: ended.wall, renewed: ended,
                lifetime: request.lifetime ?? control.lifetime,
                hasOwnLifetime: request.lifetime != nil, control: control, lastUsed: ended.wall,
                hits: 0, downloads: 1, renewals: 0)
            var file: GrowingFile? = complete.file
            // The lease keeps other processes from removing a file that is not in the index yet.
            var lease: FileLease?
            try index.publish(item) { () throws(SystemCallError) in
                lease = try file.take()?.publish(replacing: "\(folder)/\(name)")
            }
            if let old { replaced.insert(old.file) }
            removeReplaced()
            try withExtendedLifetime(lease) { try evict() }
            return try index.item(request.url) ?? item
        } catch {
            throw ContentError(naming: error)
        }
    }
}
