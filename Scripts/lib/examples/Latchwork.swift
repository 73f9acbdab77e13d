// SPDX-License-Identifier: Apache-2.0
import Foundation

struct Note: Codable, Sendable {}

let url: URL = placeholder()
let password: String = placeholder()
