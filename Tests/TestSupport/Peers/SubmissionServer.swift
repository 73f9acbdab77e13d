// SPDX-License-Identifier: Apache-2.0

import Foundation
import LatchProcess

/// A mail server with TLS on a free port of 127.0.0.1, which ends with the last reference to it.
public final class SubmissionServer: Sendable {
    /// The reason for which no server runs.
    public struct Failure: Error {}

    public let port: String
    private let process: ChildProcess

    /// Starts a server with a certificate, whose connections begin with TLS or by STARTTLS.
    public init(_ certificate: Certificate, isImplicit: Bool = false) async throws {
        let script = URL(filePath: #filePath).appending(path: "../../../Peers/Mail/submission").standardized.path
        process = try ChildProcess.start(
            "/usr/bin/env",
            ["python3", script, certificate.certificatePath, certificate.keyPath] + (isImplicit ? ["--implicit"] : []))
        guard let line = await process.line(), Int(line) != nil else { throw Failure() }
        port = line
    }

    deinit { process.kill() }

    /// Returns the lines of the next message, joined by `|`.
    public func message() async -> String? { await process.line() }
}
