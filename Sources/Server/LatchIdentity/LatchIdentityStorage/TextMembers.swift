// SPDX-License-Identifier: Apache-2.0

package import LatchCore

extension JSONObject {
    /// Creates an object of text members.
    package init(texts: [String: String]) {
        self.init()
        for (name, text) in texts.sorted(by: { $0.key < $1.key }) { self[name] = .string(text) }
    }
}
