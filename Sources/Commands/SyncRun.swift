// SPDX-License-Identifier: GPL-3.0-or-later

internal import ArgumentParser
internal import Cache
internal import CommandProtocol
internal import FoundationEssentials
internal import Importing
internal import Library
internal import LibraryService
internal import LinuxIO
internal import Logging
internal import Network
internal import Settings
internal import Sync

extension CommandError: NamedFailure {}

struct SyncRun: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Send by schedule until SIGTERM or Ctrl-C.",
        discussion: """
              vitrine sync run --config vitrine.toml

            The service vitrine-sync runs this command. It waits for a running appliance, and goes \
            on when that restarts. [sync] of the configuration is read before each run. \
            The command also keeps the content of [[content]] fresh.
            """)

    @OptionGroup var configuration: ConfigurationOptions

    @Option(
        help: "Path of the control socket (default: $VITRINE_SOCKET, or the standard path).",
        completion: .file())
    var socket: String?

    func run() async throws {
        MemoryPolicy.preferSteady()
        LoggingSystem.bootstrap(StreamLogHandler.standardError)
        let log = Logger(label: "sync")
        let environment = environmentVariables()
        let paths = SocketPath.candidates(option: socket, environment: environment)
        let credentials = environment["CREDENTIALS_DIRECTORY"].map { "\($0)/rclone.conf" }
        let service = SyncService(
            staging: stagingFolder(), records: recordFolder(),
            foreign: MediaInspector.withSystemPrograms(),
            configure: { [configuration] in
                let settings = try configuration.load().sync
                return SyncService.Configuration(
                    settings, remote: SyncRemote(settings),
                    rcloneConfiguration: Self.usable(credentials) ?? settings.rcloneConfiguration)
            }, connect: { RemoteLibrary(try ControlClient(paths: paths)) },
            log: { log.notice("\($0)") })
        let contents = ContentService(
            configure: { [configuration] in
                ContentService.Configuration(try configuration.load())
            }, log: { log.notice("\($0)") })
        let resources = ResourceService(
            ResourceServer { [configuration] in
                HTTPClient.Configuration(try configuration.load().cache)
            }, paths: paths)
        ServiceManager.ready()
        try await Interruption.cancels {
            async let kept: Void = contents.run()
            async let opened: Void = resources.run()
            await service.run()
            await kept
            await opened
        }
    }

    /// Returns the path of the file that systemd gives (systemd.exec(5), LoadCredential=); `nil` if
    /// it is missing, or only the unit's default.
    private static func usable(_ path: String?) -> String? {
        path.flatMap { path in
            (try? readSmallFile(path))?.contains("[") == true ? path : nil
        }
    }
}
