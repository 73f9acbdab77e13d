// SPDX-License-Identifier: Apache-2.0

package import LatchCore

extension JSONObject {
    /// Creates an object of members, sorted by name.
    package init(sorting members: [String: JSONValue]) {
        self.init()
        for (name, value) in members.sorted(by: { $0.key < $1.key }) { self[name] = value }
    }
}
