// SPDX-License-Identifier: Apache-2.0

/// The streams of a connection by their numbers, which increase (RFC 9113 §5.1.1); only a few are open at a time.
struct HTTP2Streams {
    private var streams: [HTTP2Stream] = []

    var isEmpty: Bool { streams.isEmpty }
    var count: Int { streams.count }

    /// The stream with a number; nil if there is none.
    subscript(id: Int32) -> HTTP2Stream? {
        let index = index(of: id)
        return index < streams.count && streams[index].id == id ? streams[index] : nil
    }

    /// Adds a stream, whose number is higher than all others.
    mutating func append(_ stream: HTTP2Stream) { streams.append(stream) }

    /// Removes and returns the stream with a number.
    mutating func remove(_ id: Int32) -> HTTP2Stream? {
        let index = index(of: id)
        return index < streams.count && streams[index].id == id ? streams.remove(at: index) : nil
    }

    /// The streams in the order of their numbers.
    var all: [HTTP2Stream] { streams }

    /// Returns the index of the first stream whose number is not lower.
    private func index(of id: Int32) -> Int {
        var (low, high) = (0, streams.count)
        while low < high {
            let middle = (low + high) / 2
            if streams[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
