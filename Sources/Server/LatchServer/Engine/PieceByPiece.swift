// SPDX-License-Identifier: Apache-2.0

extension HTTPBodyStream {
    /// Passes the pieces to `send`, which returns whether more are wanted.
    ///
    /// It returns whether the whole content, and as much as was announced, was sent.
    func forEachPiece(_ send: ([UInt8]) async -> Bool) async -> Bool {
        var remaining = length
        var sentSinceYield = 0
        do {
            for try await piece in self {
                sentSinceYield += piece.count
                // Otherwise a fast source with a fast client would block all other connections of the loop.
                if sentSinceYield > 1 << 18 {
                    sentSinceYield = 0
                    await Task.yield()
                }
                if let rest = remaining {
                    guard piece.count <= rest else { return false }
                    remaining = rest - piece.count
                }
                guard await send(piece) else { return false }
            }
        } catch {
            return false
        }
        // A canceled source may end as if it were complete.
        return (remaining ?? 0) == 0 && !Task.isCancelled
    }
}
