// SPDX-License-Identifier: Apache-2.0

import LatchCore
import Synchronization
package import LatchHTTP

/// A session's part in the messages of one attempt: it authorises each, and takes over what an answer exchanged.
package final class SessionStep<Value: SessionCredential>: WireStep {
    private let session: Session<Value>
    /// What the next message carries: a redirect may exchange the credential between two of them.
    private let current: Mutex<Progress>

    /// What the messages so far have come to.
    private struct Progress: Sendable {
        var lease: Lease<Value>
        var isWorthRepeating = false
        var leadsElsewhere = false
    }

    /// A step that begins with the credential of `lease`.
    package init(_ session: Session<Value>, _ lease: Lease<Value>) {
        self.session = session
        current = Mutex(Progress(lease: lease))
    }

    /// The credential of the last message.
    var lease: Lease<Value> { current.withLock { $0.lease } }

    /// Whether the last answer asks for the same message with the same credential once more; see `Credential.learn`.
    var isWorthRepeating: Bool { current.withLock { $0.isWorthRepeating } }

    /// Whether what came back is no answer to this credential: a redirect has led to another origin, where none is sent.
    var leadsElsewhere: Bool { current.withLock { $0.leadsElsewhere } }

    package func prepare(_ request: inout HTTPRequest) async throws {
        let lease = current.withLock { progress in
            progress.leadsElsewhere = false
            return progress.lease
        }
        try await lease.credential.authorize(&request)
    }

    package func observe(_ response: HTTPResponse, to request: HTTPRequest) async {
        let lease = lease
        let sent = lease.credential
        // What a redirect leads to within the origin is prepared again.
        if response.status.isRedirection { current.withLock { $0.leadsElsewhere = true } }
        // Only a refusal asks for it, and nothing follows a refusal.
        if sent.learn(from: response, to: request) { current.withLock { $0.isWorthRepeating = true } }
        // Nearly always nothing was exchanged; then nobody has to wait for the session's actor.
        guard sent.rotated(by: response, to: request, sentWith: sent) != nil,
            let rotated = await session.rotate(lease, by: response, to: request)
        else { return }
        current.withLock { $0.lease = Lease(credential: rotated, generation: lease.generation) }
    }
}
