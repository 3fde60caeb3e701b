// SPDX-License-Identifier: GPL-3.0-or-later An app on VitrineKit: shows the first camera, takes a
// photo and a clip, puts both into an album, and follows the library's changes. Usage:
// vitrine-example FOLDER [--simulated]

import Simulation
import VitrineKit

let folder = CommandLine.arguments.dropFirst().first ?? "example-library"
let isSimulated = CommandLine.arguments.contains("--simulated")

// The library, its album, and an observer that prints every change of the album.
let library = try await AssetLibrary.open(at: folder)
var changes = LibraryChanges()
let album = changes.createAlbum("Example")
try await library.perform(changes)
let observer = Task {
    var shown = try await library.fetchAssets(in: album)
    for await _ in library.changeTokens() {
        guard let news = try await shown.changes() else { continue }
        shown = news.result
        print("the album has \(try await shown.count) assets")
    }
}

// The session: one camera, a preview, a photo output and a movie output.
let session = try CaptureSession()
let screen = try Screen(gravity: .resizeAspect) { () throws(DisplayError) in
    if isSimulated { return try MemoryScreen(size: Dimensions(width: 640, height: 480)) }
    return try KMSDevice(KMSDevice.Selection())
}
let camera =
    isSimulated
    ? CaptureDevice(uniqueID: "camera") { () throws(CaptureError) in
        try SimulatedCamera.showing("pattern")
    } : CaptureDevice(uniqueID: "camera", match: CaptureDevice.Match())
let preview = PreviewOutput(target: screen)
let photos = PhotoOutput()
let movies = try MovieFileOutput()
try await session.configure { configuration in
    configuration.preset = .high
    try configuration.addInput(CaptureDeviceInput(device: camera))
    for output in [preview, photos, movies] as [any CaptureOutput] {
        try configuration.addOutput(output)
    }
    try configuration.withConnection(to: preview) { connection throws(CaptureError) in
        try connection.setVideoMirrored(true)
    }
}
let running = try await session.startRunning()
print("camera \(running.identity.name), preview \(running.previewPath?.rawValue ?? "none")")

// A photo: the frame nearest to now, stored durably.
let still = try await PhotoProcessor(PhotoProcessor.Settings()).finish(await photos.capture())
let photo = try await library.add(FinishedPhoto(still, deviceName: camera.uniqueID))
print("photo \(photo.fileName), \(photo.width)x\(photo.height)")

// A clip of two seconds.
let recording = NewRecording(deviceName: camera.uniqueID)
try movies.startRecording(recording, to: await library.beginRecording(recording))
try await Task.sleep(for: .seconds(2))
movies.stopRecording()
for await event in movies.events {
    if case .failed(_, let error) = event { throw error }
    guard case .finished(let movie) = event else { continue }
    let clip = try await library.finishRecording(recording.finished(movie))
    print("clip \(clip.fileName), \(movie.duration / 1_000_000) ms")
    try await library.performChanges { changes in
        changes.change(album, .addAssets([photo.id, clip.id], at: nil))
    }
    break
}

// The end: outputs and devices are given back in order.
try await Task.sleep(for: .seconds(1))
observer.cancel()
await session.close()
await movies.close()
await screen.close()
await library.close()
