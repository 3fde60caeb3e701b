// SPDX-License-Identifier: GPL-3.0-or-later

internal import DRM
public import Imaging
internal import LinuxIO
public import Media

/// The search for a configuration that the hardware supports. The kernel tests each candidate
/// (`TEST_ONLY`), so that nothing changes on screen before it is known to work.
extension KMSDevice {
    /// Tries the preferred mode first, then with `automatic` a mode of the picture's size. Throws
    /// ``DisplayError`` `unsupported` if no mode works; `SystemCallError` if setting a mode fails.
    /// The mode may have changed even then.
    public func placeVideo(
        _ image: any ScanoutImage, _ layout: VideoLayout
    ) throws -> LayerPlacement {
        guard let image = image as? Framebuffer else {
            throw DisplayError(.unsupported, "the picture belongs to another display")
        }
        let picture = image.description
        for candidate in modes(for: image, layout.orientation) {
            let screen = upright(candidate)
            let placement =
                image.rotation == .none
                ? layout.place(picture.dimensions, on: screen) : .whole(screen)
            guard var overlay = try test(image, placement, on: candidate) else { continue }
            if candidate != mode {
                try setMode(candidate)
                // Later commits set no mode, so the placement must work without a modeset, too.
                guard let still = try test(image, placement, on: candidate) else { continue }
                overlay = still
            }
            if case .plane(let plane) = overlay { overlayPlane = plane }
            return placement
        }
        throw DisplayError(
            .unsupported,
            "\(connector.name) at \(mode.name) cannot scan out \(picture.dimensions) "
                + "\(picture.pixelFormat)")
    }

    /// Returns a mode's size as a person sees it on the turned display.
    func upright(_ mode: DisplayMode) -> Dimensions { selection.rotation.apply(to: mode.size) }

    /// Returns the modes to try for a picture. The preferred mode comes first, so that a camera
    /// that fits it gets it back.
    private func modes(
        for image: Framebuffer, _ orientation: ExifOrientation
    ) -> [DisplayMode] {
        let picture = orientation.apply(to: image.description.dimensions)
        guard selection.mode == .automatic, image.rotation == .none, picture != preferredSize,
            let match = connector.modes.first(where: { upright($0) == picture })
        else { return [native] }
        return [native, match]
    }

    /// Finds out whether planes can turn pictures, and which overlay plane works above the video.
    func chooseLayers(_ mode: DisplayMode, _ blob: PropertyBlob) throws(SystemCallError) {
        let whole = LayerPlacement.whole(upright(mode))
        planesTurn = true
        let picture = try screenImage(.xrgb, upright(mode), keepsMapping: false)
        overlayPlane = findOverlay(above: picture, whole, mode, blob)
        if hasOverlay || selection.rotation == .none { return }
        planesTurn = overlayPlanes.isEmpty && works(picture, whole, mode, blob, overlay: nil)
        if planesTurn { return }
        let turned = try screenImage(.xrgb, upright(mode), keepsMapping: false)
        overlayPlane = findOverlay(above: turned, whole, mode, blob)
    }

    private enum OverlayChoice {
        case plane(Plane)
        /// The display has no overlay.
        case absent
    }

    /// Tests this picture at this place in this mode, under the overlay; `nil` if it is refused.
    private func test(
        _ image: Framebuffer, _ placement: LayerPlacement, on mode: DisplayMode
    ) throws -> OverlayChoice? {
        let blob = mode == self.mode ? nil : try PropertyBlob(card, mode: mode)
        if hasOverlay { return findOverlay(above: image, placement, mode, blob).map { .plane($0) } }
        return works(image, placement, mode, blob, overlay: nil) ? .absent : nil
    }

    /// Returns the first overlay plane that works above this picture; tries the one in use first.
    func findOverlay(
        above image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?
    ) -> Plane? {
        guard !overlayPlanes.isEmpty,
            let picture = try? screenImage(.argb, upright(mode), keepsMapping: false)
        else { return nil }
        let current = overlayPlane.map { [$0] } ?? []
        return (current + overlayPlanes).first { plane in
            works(image, placement, mode, blob, overlay: (plane, picture))
        }
    }

    private func works(
        _ image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?, overlay: (plane: Plane, picture: Framebuffer)?
    ) -> Bool {
        build(image, placement, mode, blob, overlay: overlay)
            && (try? request.commit(card, blob == nil ? .testOnly : [.testOnly, .allowModeset]))
                != nil
    }

    /// Fills ``request`` with a state of the whole screen; `blob` is the mode's, if the mode is not
    /// the current one. Returns whether the planes have the properties that the state needs.
    @discardableResult
    func build(
        _ image: Framebuffer, _ placement: LayerPlacement, _ mode: DisplayMode,
        _ blob: PropertyBlob?, overlay: (plane: Plane, picture: Framebuffer)?
    ) -> Bool {
        request.clear()
        if let blob { request.activate(crtc, connector, blob) }
        let canShow = place(image, placement, on: primary, in: mode)
        for plane in visiblePlanes where plane.identifier != overlay?.plane.identifier {
            request.hide(plane)
        }
        guard let overlay else { return canShow }
        let canOverlay = place(overlay.picture, .whole(upright(mode)), on: overlay.plane, in: mode)
        return canShow && canOverlay
    }

    /// Adds a picture to ``request``, placed as a person sees the screen. Returns whether the plane
    /// has the properties that this needs.
    @discardableResult
    func place(
        _ image: Framebuffer, _ placement: LayerPlacement, on plane: Plane, in mode: DisplayMode
    ) -> Bool {
        if image.rotation != .none {
            // The picture is already turned, and as large as the screen.
            let whole = PixelRect(mode.size)
            return request.show(
                image, on: plane, of: crtc, card: card, source: whole, target: whole)
        }
        // The picture is turned for the viewer, and then for the display.
        let orientation = placement.orientation.turned(selection.rotation)
        return request.show(
            image, on: plane, of: crtc, card: card, source: placement.source,
            target: selection.rotation.apply(to: placement.target, of: upright(mode)), orientation)
    }
}
