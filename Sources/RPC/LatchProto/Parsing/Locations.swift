// SPDX-License-Identifier: Apache-2.0

/// Notes where each part of a file stands, for `SourceCodeInfo`; costs nothing where nobody wants it.
struct Locations {
    /// A location that is being noted.
    struct Mark {
        fileprivate let index: Int
        fileprivate let path: [Int32]
    }

    private let isRecording: Bool
    private(set) var list: [SourceLocation] = []
    private var isFinished: [Bool] = []

    init(isRecording: Bool) { self.isRecording = isRecording }

    /// Begins the location of the whole file.
    mutating func begin(at place: Place) -> Mark { begin(Mark(index: -1, path: []), [], at: place) }

    /// Begins a part of `parent`.
    mutating func begin(_ parent: Mark, _ path: [Int32], at place: Place) -> Mark {
        guard isRecording else { return Mark(index: -1, path: []) }
        let path = parent.path + path
        list.append(SourceLocation(path: path, span: Span(start: place, end: place)))
        isFinished.append(false)
        return Mark(index: list.count - 1, path: path)
    }

    /// The same location under a longer path, which was not known before.
    mutating func extend(_ mark: Mark, _ path: Int32...) -> Mark {
        guard mark.index >= 0 else { return mark }
        list[mark.index].path += path
        return Mark(index: mark.index, path: list[mark.index].path)
    }

    mutating func start(_ mark: Mark, at place: Place) {
        if mark.index >= 0 { list[mark.index].span.start = place }
    }

    /// Where a location begins.
    func start(of mark: Mark) -> Place? { mark.index >= 0 ? list[mark.index].span.start : nil }

    /// Ends a location, unless that was done before.
    mutating func finish(_ mark: Mark, at place: Place) {
        guard mark.index >= 0, !isFinished[mark.index] else { return }
        isFinished[mark.index] = true
        list[mark.index].span.end = place
    }

    mutating func attach(_ comments: Comments, to mark: Mark) {
        if mark.index >= 0 { list[mark.index].comments = comments }
    }
}
