// SPDX-License-Identifier: Apache-2.0

import FoundationBridge
import LatchHTTP

extension URLRequest {
    /// Lets a credential of the core authorise this request, whose content plays no part in it.
    ///
    /// A request that cannot be sent stays as it is: it fails where it is sent.
    mutating func authorize(_ body: (inout HTTPRequest) -> Void) {
        guard let url else { return }
        do {
            var message = try HTTPRequest(self)
            let before = message
            body(&message)
            if message.path != before.path { self.url = URL(string: message.absoluteURL) ?? url }
            for line in message.fields where before.fields[line.name] != line.value {
                setValue(line.value, forHTTPHeaderField: line.name.rawName)
            }
        } catch {
            // See above.
        }
    }
}
