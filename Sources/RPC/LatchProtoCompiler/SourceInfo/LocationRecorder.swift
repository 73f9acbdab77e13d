// SPDX-License-Identifier: Apache-2.0

/// A recorder of the locations of declarations for `SourceCodeInfo`; it only works while recording.
struct LocationRecorder {
    private let isRecording: Bool
    private(set) var list: [SourceLocation] = []
    private var isFinished: [Bool] = []

    init(isRecording: Bool) { self.isRecording = isRecording }

    /// Starts the location of the whole file.
    mutating func begin(at position: SourcePosition) -> LocationMark {
        begin(LocationMark(index: -1, path: []), [], at: position)
    }

    /// Starts the location of a part of `parent`.
    mutating func begin(_ parent: LocationMark, _ path: [Int32], at position: SourcePosition) -> LocationMark {
        guard isRecording else { return LocationMark(index: -1, path: []) }
        let path = parent.path + path
        list.append(SourceLocation(path: path, span: SourceRange(start: position, end: position)))
        isFinished.append(false)
        return LocationMark(index: list.count - 1, path: path)
    }

    /// Extends the path of a location, because the path is unknown before the part is parsed.
    mutating func extend(_ mark: LocationMark, _ path: Int32...) -> LocationMark {
        guard mark.index >= 0 else { return mark }
        list[mark.index].path += path
        return LocationMark(index: mark.index, path: list[mark.index].path)
    }

    mutating func start(_ mark: LocationMark, at position: SourcePosition) {
        if mark.index >= 0 { list[mark.index].span.start = position }
    }

    func start(of mark: LocationMark) -> SourcePosition? { mark.index >= 0 ? list[mark.index].span.start : nil }

    /// Ends a location, unless it has already ended.
    mutating func finish(_ mark: LocationMark, at position: SourcePosition) {
        guard mark.index >= 0, !isFinished[mark.index] else { return }
        isFinished[mark.index] = true
        list[mark.index].span.end = position
    }

    mutating func attach(_ comments: Comments, to mark: LocationMark) {
        if mark.index >= 0 { list[mark.index].comments = comments }
    }
}

/// A handle for a location that is being recorded.
struct LocationMark {
    fileprivate let index: Int
    fileprivate let path: [Int32]
}

/// The comments around a declaration, without their slashes and asterisks.
package struct Comments: Sendable, Hashable {
    /// The comment directly above the declaration.
    package var leading: String?
    /// The comment after or directly below the declaration.
    package var trailing: String?
    /// The comments above the declaration, separated from it by empty lines.
    package var detached: [String] = []

    package init() {}
}

/// The location of one part of a file (`SourceCodeInfo.Location`).
package struct SourceLocation: Sendable, Hashable {
    /// The field numbers and indices from the file's descriptor to the part.
    package var path: [Int32]
    package var span: SourceRange
    package var comments = Comments()
}
