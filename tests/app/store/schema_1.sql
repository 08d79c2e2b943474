BEGIN TRANSACTION;
CREATE TABLE alias_moves (
	seq INTEGER NOT NULL, 
	model VARCHAR(64) NOT NULL, 
	alias VARCHAR(64) NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (seq)
);
INSERT INTO "alias_moves" VALUES(1,'alpha','production',1);
CREATE TABLE aliases (
	model VARCHAR(64) NOT NULL, 
	alias VARCHAR(64) NOT NULL, 
	version BIGINT NOT NULL, 
	PRIMARY KEY (model, alias), 
	FOREIGN KEY(model, version) REFERENCES versions (model, version)
);
INSERT INTO "aliases" VALUES('alpha','production',2);
CREATE TABLE gate (
	id INTEGER NOT NULL, 
	schema_version INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "gate" VALUES(1,1);
CREATE TABLE jobs (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	id VARCHAR(32) NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	cancel_requested BOOLEAN NOT NULL, 
	model VARCHAR(64) NOT NULL, 
	options TEXT NOT NULL, 
	spool_sha256 VARCHAR(64) NOT NULL, 
	spool_bytes BIGINT NOT NULL, 
	spool_mac VARCHAR(64) NOT NULL, 
	estimated_bytes BIGINT NOT NULL, 
	request_id VARCHAR(64) NOT NULL, 
	fence INTEGER NOT NULL, 
	owner VARCHAR(32), 
	beat INTEGER NOT NULL, 
	progress TEXT NOT NULL, 
	error TEXT, 
	version BIGINT, 
	created_at VARCHAR(32) NOT NULL, 
	started_at VARCHAR(32), 
	finished_at VARCHAR(32), 
	UNIQUE (id)
);
INSERT INTO "jobs" VALUES(1,'c6089860a975cc2a20e7f6d38a91c8fb','succeeded',0,'alpha','{}','ca03d24a1888cf6ed4dd7da28324d5221ac8c2bb26cfe6f0a7d8af0dc5fc7ce1',274,'e0a29a0b15b690684740b0eef0057e4db6e8ea5c99e9e393aa6e15c548e1c995',1,'r',1,'5ed093b4ccd126e6',0,'{"phase": "done"}',NULL,1,'2026-11-16T07:56:37.859Z','2026-11-16T07:56:37.905Z','2026-11-16T07:56:37.947Z');
INSERT INTO "jobs" VALUES(2,'effb22cc1bc14e4d32d844bf6427285a','succeeded',0,'alpha','{}','ca03d24a1888cf6ed4dd7da28324d5221ac8c2bb26cfe6f0a7d8af0dc5fc7ce1',274,'e0a29a0b15b690684740b0eef0057e4db6e8ea5c99e9e393aa6e15c548e1c995',1,'r',1,'5ed093b4ccd126e6',0,'{"phase": "done"}',NULL,2,'2026-11-16T07:56:38.031Z','2026-11-16T07:56:38.072Z','2026-11-16T07:56:38.091Z');
INSERT INTO "jobs" VALUES(3,'5f3c2b7c216da01e1588c85bfe75f4f3','succeeded',0,'alpha','{}','ca03d24a1888cf6ed4dd7da28324d5221ac8c2bb26cfe6f0a7d8af0dc5fc7ce1',274,'e0a29a0b15b690684740b0eef0057e4db6e8ea5c99e9e393aa6e15c548e1c995',1,'r',1,'5ed093b4ccd126e6',0,'{"phase": "done"}',NULL,3,'2026-11-16T07:56:38.140Z','2026-11-16T07:56:38.168Z','2026-11-16T07:56:38.203Z');
INSERT INTO "jobs" VALUES(4,'9aa131ed80490811ce0eb4646da46a53','succeeded',0,'beta','{}','ca03d24a1888cf6ed4dd7da28324d5221ac8c2bb26cfe6f0a7d8af0dc5fc7ce1',274,'e0a29a0b15b690684740b0eef0057e4db6e8ea5c99e9e393aa6e15c548e1c995',1,'r',1,'5ed093b4ccd126e6',0,'{"phase": "done"}',NULL,1,'2026-11-16T07:56:38.255Z','2026-11-16T07:56:38.284Z','2026-11-16T07:56:38.331Z');
INSERT INTO "jobs" VALUES(5,'75563206743dfdc99b062798d9b61078','queued',0,'beta','{}','ca03d24a1888cf6ed4dd7da28324d5221ac8c2bb26cfe6f0a7d8af0dc5fc7ce1',274,'e0a29a0b15b690684740b0eef0057e4db6e8ea5c99e9e393aa6e15c548e1c995',1,'r',0,NULL,0,'{"phase": "queued", "percent": 0.0}',NULL,NULL,'2026-11-16T07:56:38.539Z',NULL,NULL);
CREATE TABLE models (
	name VARCHAR(64) NOT NULL, 
	last_version BIGINT NOT NULL, 
	PRIMARY KEY (name)
);
INSERT INTO "models" VALUES('alpha',3);
INSERT INTO "models" VALUES('beta',1);
CREATE TABLE versions (
	model VARCHAR(64) NOT NULL, 
	version BIGINT NOT NULL, 
	job VARCHAR(32) NOT NULL, 
	created_at VARCHAR(32) NOT NULL, 
	predictor_sha256 VARCHAR(64) NOT NULL, 
	predictor_bytes BIGINT NOT NULL, 
	predictor_mac VARCHAR(64) NOT NULL, 
	evidence_sha256 VARCHAR(64) NOT NULL, 
	evidence_bytes BIGINT NOT NULL, 
	evidence_mac VARCHAR(64) NOT NULL, 
	info TEXT NOT NULL, 
	PRIMARY KEY (model, version), 
	FOREIGN KEY(model) REFERENCES models (name), 
	UNIQUE (job)
);
INSERT INTO "versions" VALUES('alpha',1,'c6089860a975cc2a20e7f6d38a91c8fb','2026-11-16T07:56:37.978Z','577bce54ddfb2e698596f63449a2c02a8b4496243894f2f67084a319621bd8f8',250,'abb738cc7dc83abd0d7650e9f7f13c78cf3b90c98a19da38c8b41c0b7ee74a1c','c9e129fbe4b6957493ce4603a659160c02491fdcb3e4622f194f18d97e15e171',258,'49c00af6c0efbdd69ffc34501c153788315b4b465ab961567ce28185ffa6fd72','{"classes": [0, 1]}');
INSERT INTO "versions" VALUES('alpha',2,'effb22cc1bc14e4d32d844bf6427285a','2026-11-16T07:56:38.099Z','ef94efac4308c6c4488b44238f49ec082947dd22691631ac578330d3000a05cd',250,'5fb2dca159d88d7f51da6db4d6bd99546a6c14450cd78a1786629f3c8c351f35','d057e25ed92676683f0fa2313f4ffeabb755bfcae7df32bf458291c5a7b298e5',258,'d5d9ef7bee8b1f0c00932ee255c29901c853a5e8055ece19d9eac1fd19e62c71','{"classes": [0, 1]}');
INSERT INTO "versions" VALUES('beta',1,'9aa131ed80490811ce0eb4646da46a53','2026-11-16T07:56:38.348Z','b775ea71efe55ce41701b5022564587c515be81613bffa8d5ca309cbdc067cf9',250,'9a843dd38276e66a379423cb5e04f03a27f91ba5557c09c1c1791537433a5d9e','1c46dbcd84b02465c2b17cdaa6fd1bf4037c162e054ed1e59c22dfd2e22b0dc8',258,'31804551f790171858b0d0974ce0d124554d27851bd1c0fac5dd17ec573ffbeb','{"classes": [0, 1]}');
CREATE INDEX alias_moves_by_alias ON alias_moves (model, alias);
CREATE INDEX ix_jobs_state ON jobs (state);
CREATE INDEX ix_versions_predictor_sha256 ON versions (predictor_sha256);
CREATE INDEX ix_versions_evidence_sha256 ON versions (evidence_sha256);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('jobs',5);
COMMIT;
