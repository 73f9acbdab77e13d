// SPDX-License-Identifier: Apache-2.0

import LatchFoundation

extension [UInt8] {
    /// Writes the bytes to a file.
    func write(toFile path: String) throws { try Data(self).write(to: URL(filePath: path)) }
}
