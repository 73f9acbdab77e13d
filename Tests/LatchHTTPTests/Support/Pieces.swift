// SPDX-License-Identifier: Apache-2.0

import LatchCore
import LatchHTTP
import Synchronization

/// A stream of these pieces, each time from the first; its length is known only where it is given.
func pieces(_ texts: [String], length: Int? = nil) -> HTTPBodyStream {
    HTTPBodyStream(length: length) {
        let rest = Mutex(texts[...])
        return { rest.withLock { $0.popFirst().map { Array($0.utf8) } } }
    }
}

/// A stream of these pieces that ends with an error.
func pieces(_ texts: [String], then error: HTTPError) -> HTTPBodyStream {
    HTTPBodyStream {
        let rest = Mutex(texts[...])
        return {
            guard let text = rest.withLock({ $0.popFirst() }) else { throw error }
            return Array(text.utf8)
        }
    }
}
