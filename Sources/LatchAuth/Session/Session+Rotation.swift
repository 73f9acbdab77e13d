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
                var record = TokenRecord(credential: current, signIn: signInID)
                if records.areKept {
                    guard let stored = try await records.load(), stored.credential == current else { return }
                    record = stored
                }
                rotated = current.rotated(by: response, to: request, sentWith: lease.credential)
                guard rotated != nil else { return }
                record.credential = rotated
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
