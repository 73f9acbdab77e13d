// SPDX-License-Identifier: Apache-2.0
import Foundation
import LatchAuth

let url: URL = placeholder()
let session: Session<Tokens> = placeholder()
