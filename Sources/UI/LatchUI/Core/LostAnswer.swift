// SPDX-License-Identifier: Apache-2.0

/// A request whose answer may be lost: the same one once more may then find that its work is done.
struct LostAnswer: Hashable, Sendable {
    /// The subject of the request that is running, such as its address; nil if none is.
    private var running: String?
    /// The subject of the last request whose answer is not known.
    private var lost: String?

    /// Takes that a request begins.
    mutating func begin(_ subject: String = "") { running = subject }

    /// Takes that the running request was cancelled, and may have reached the server.
    mutating func lose() {
        if let running { lost = running }
        running = nil
    }

    /// Takes the failure of the running request, whose answer a broken connection loses.
    mutating func receive(_ failure: ScreenFailure) {
        if failure.reason == .offline || failure.reason == .serverFailed { lose() }
        running = nil
    }

    /// Whether a request before may have done the same.
    func mayHaveDone(_ subject: String = "") -> Bool { lost == subject }
}
