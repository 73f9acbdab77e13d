// SPDX-License-Identifier: Apache-2.0

/// A condition that the requests of a refresh must still meet when their first byte is sent.
///
/// A request may wait long before that: for a connection or a handshake, or while the system suspends the program.
package enum SendCondition {
    /// The condition of the current task's requests, which returns nil when the refresh is over; nil without a refresh.
    @TaskLocal package static var current: (@Sendable () -> Bool?)?

    /// Checks the condition of the current task.
    ///
    /// - Throws: `HTTPError.withdrawn`.
    package static func check() throws(HTTPError) { if current?() == false { throw .withdrawn } }
}

extension HTTPError {
    /// Nothing was sent, since the request no longer meets its condition.
    package static var withdrawn: HTTPError {
        var error = HTTPError(code: cancelled.code, message: "The request was withdrawn before it was sent.")
        error.isUnsent = true
        return error
    }
}
