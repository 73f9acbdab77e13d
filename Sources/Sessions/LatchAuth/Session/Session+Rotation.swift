// SPDX-License-Identifier: Apache-2.0

import LatchHTTP

extension Session {
    /// Takes over what an answer made of the credential, stored before anybody sees it.
    ///
    /// It is no sign-in: the generation stays, and a renewal that is under way replaces the result.
    ///
    /// - Parameter lease: What the answered message carried.
    /// - Returns: The credential that is current now; nil where the answer belongs to an earlier one.
    func rotate(_ lease: Lease<Value>, by response: HTTPResponse, to request: HTTPRequest) async -> Value? {
        var rotated: Value?
        do {
            try await withStore {
                guard lease.generation == generation, let current = state.credential else { return }
                let stored = records.areKept ? try await records.load() : nil
                guard !records.areKept || stored?.credential == current else { return }
                rotated = current.rotated(by: response, to: request, sentWith: lease.credential)
                guard let rotated else { return }
                var record = newRecord(of: rotated, signIn: stored?.signIn ?? signInID)
                record.intent = stored?.intent
                handedOut = record.handedOut
                try await records.save(record)
            }
        } catch {
            // The server has exchanged it, stored or not, and nobody asked for a store here: the predecessor would be
            // refused. The next exchange or renewal stores again, and a renewal tells what fails.
        }
        guard let rotated, lease.generation == generation else { return nil }
        adopt(rotated)
        return rotated
    }
}
