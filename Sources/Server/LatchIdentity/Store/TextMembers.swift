// SPDX-License-Identifier: Apache-2.0

import LatchCore

extension JSONObject {
    /// Creates an object of text members.
    init(texts: [String: String]) {
        self.init()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { self[name] = .string(text) }
    }
}
