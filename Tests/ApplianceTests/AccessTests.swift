// SPDX-License-Identifier: GPL-3.0-or-later

import CommandProtocol
import Verbs
import Foundation
import Library
import LibraryService
import LinuxIO
import Settings
import Testing
import TestSupport

@Suite("access rights")
struct AccessTests {
    /// Returns a policy with users and groups that every Debian has: daemon 1, bin 2, sys 3, games
    /// 5 and 60, nobody 65534.
    private func policy(_ service: AccessSettings.ServiceAccess = .addOnly) -> AccessPolicy {
        var settings = AccessSettings()
        settings.guests = ["daemon", "@games"]
        settings.viewers = ["bin", "games", "@users", "nobody-of-this-name"]
        settings.services = ["sys", "@users", "@no-such-group"]
        settings.serviceAccess = service
        return AccessPolicy(settings, owner: 4242)
    }

    private func role(_ user: UInt32, _ groups: UInt32...) -> AccessRole {
        policy().role(of: PeerCredentials(user: user, process: 1, groups: groups))
    }

    @Test("a name beats groups, fewer rights beat more, and everyone else is an operator")
    func roles() {
        #expect(policy().role(of: nil) == .operator)
        #expect(role(0, 60) == .operator && role(4242, 60) == .operator)
        #expect(role(1) == .guest && role(2) == .viewer && role(3) == .service)
        #expect(role(65534, 60) == .guest && role(65534, 100) == .viewer)
        #expect(role(65534, 100, 60) == .guest)
        // User 5 is named as a viewer, although it is in the guests' group.
        #expect(role(5, 60) == .viewer)
        #expect(role(65534) == .operator)
        #expect(policy().unknown == ["nobody-of-this-name", "@no-such-group"])
    }

    private func may(
        _ role: AccessRole, _ verb: String, _ service: AccessSettings.ServiceAccess = .addOnly
    ) -> Bool {
        do {
            try Caller(role: role, policy: policy(service), session: nil).require(verb)
            return true
        } catch {
            #expect(error.exitCode == 77 && error.next.contains("vitrine library access"))
            return false
        }
    }

    @Test("a verb is allowed only to its roles; a refusal has status 77 and a next step")
    func verbs() {
        let changing = ["library.perform", "library.repair", "library.retention", "config.reload"]
        let reading = ["library.changes", "library.statistics", "library.collections"]
        for verb in changing + reading + ["library.take", "press", "status", "unknown"] {
            #expect(may(.operator, verb))
        }
        for verb in reading { #expect(may(.viewer, verb) && !may(.guest, verb)) }
        for verb in changing + ["unknown", "library.salvage"] {
            #expect(!may(.viewer, verb) && !may(.guest, verb) && !may(.service, verb))
        }
        #expect(may(.guest, "press") && !may(.viewer, "press") && may(.guest, "library.page"))
        #expect(!may(.guest, "screenshot") && may(.viewer, "screenshot"))
        #expect(may(.service, "library.take") && !may(.service, "library.page"))
        #expect(may(.viewer, "library.picture") && !may(.service, "library.picture"))
        for verb in ["status", "sync.begin", "sync.exchange"] { #expect(may(.sync, verb)) }
        for verb in changing + reading + ["press", "library.take", "screenshot"] {
            #expect(!may(.sync, verb))
        }
        // These are the verbs that an import uses.
        for verb in ["library.folder", "library.holder"] {
            #expect(may(.service, verb) && !may(.viewer, verb) && !may(.guest, verb))
        }
        #expect(!may(.service, "library.take", .read) && may(.service, "library.page", .read))
        #expect(may(.service, "library.perform", .full) && !may(.service, "config.reload", .full))
    }

    @Test("the authorization status follows from the role, the session and the library")
    func report() {
        func told(
            _ role: AccessRole, session: String? = nil, isWritable: Bool = true
        ) -> [AuthorizationStatus] {
            let caller = Caller(role: role, policy: policy(), session: session)
            let report = caller.report(isWritable: isWritable)
            return [report.addOnly, report.read, report.readWrite]
        }
        #expect(told(.guest) == [.denied, .notDetermined, .denied])
        #expect(told(.guest, session: "a") == [.denied, .limited, .denied])
        #expect(told(.viewer) == [.denied, .authorized, .denied])
        #expect(told(.service) == [.authorized, .denied, .denied])
        #expect(told(.operator) == [.authorized, .authorized, .authorized])
        #expect(told(.operator, isWritable: false) == [.restricted, .authorized, .restricted])
    }

    @Test("a guest sees only the photos of the visit, by any verb, and no album")
    func visit() async throws {
        let folder = try TemporaryFolder()
        let library = try await AssetLibrary.open(at: folder.path(of: "library"))
        var ids: [String] = []
        for session in ["mine", "another", "mine"] {
            var taken = photo()
            taken.sessionID = session
            ids.append(try await library.add(taken).id.uuidString)
        }
        let hidden = try await library.asset(id: ids[2]).id
        try await library.performChanges { $0.change([hidden], .setHidden(true)) }
        func asked(
            _ verb: String, _ arguments: [String: JSONValue], session: String? = "mine"
        ) async throws -> String {
            let caller = Caller(role: .guest, policy: policy(), session: session)
            try caller.require(verb)
            let verbs = LibraryVerbs(
                library: library, images: ImageManager(library), retention: RetentionPolicy(),
                limit: caller.limit)
            let answer = try #require(try await verbs.answer(verb, arguments) { _ in })
            return try jsonLine(answer)
        }
        let everything: [String: JSONValue] = [
            "options": try JSONValue(encoding: FetchOptions.everything)
        ]
        #expect(try await asked("library.count", everything) == "1")
        #expect(try await asked("library.count", everything, session: nil) == "0")
        let page = try await asked("library.page", everything).lowercased()
        #expect(page.contains(ids[0].lowercased()) && !page.contains(ids[1].lowercased()))
        _ = try await asked("library.show", ["id": .string(ids[0])])
        // The verb is allowed, but fails because the asset's bytes are not a JPEG.
        await #expect { try await asked("library.picture", ["id": .string(ids[0])]) } throws: {
            ($0 as? LibraryError)?.code == .damaged
        }
        for id in ids[1...] {
            for verb in ["library.show", "library.picture"] {
                await #expect { try await asked(verb, ["id": .string(id)]) } throws: {
                    ($0 as? LibraryError)?.code == .notFound
                }
            }
        }
        let album = AssetCollection.Identifier.smartAlbum(.hidden)
        await #expect {
            try await asked("library.page", ["collection": try JSONValue(encoding: album)])
        } throws: { ($0 as? LibraryError)?.code == .permission }
        await library.close()
    }
}
