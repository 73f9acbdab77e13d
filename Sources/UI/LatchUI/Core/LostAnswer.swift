// SPDX-License-Identifier: Apache-2.0

/// A request whose response may be lost: a repetition may find that the server has already done the work.
struct LostAnswer: Hashable, Sendable {
    /// The subject of the request that is running, such as its address; nil if none is.
    private var running: String?
    /// The subject of the last request whose response is not known.
    private var lost: String?

    /// Records the beginning of a request.
    mutating func begin(_ subject: String = "") { running = subject }

    /// Records that the running request was canceled; it may have reached the server.
    mutating func lose() {
        if let running { lost = running }
        running = nil
    }

    /// Records the failure of the running request: a broken connection loses its response.
    mutating func receive(_ failure: ScreenFailure) {
        if failure.reason == .offline || failure.reason == .serverFailed { lose() }
        running = nil
    }

    /// Whether an earlier request may have done the same work.
    func mayHaveDone(_ subject: String = "") -> Bool { lost == subject }
}
